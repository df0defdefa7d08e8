#include "gateway/shared/books_messages.h"

#include <algorithm>
#include <iterator>

#include "base/concat.h"
#include "base/wall_time.h"

namespace brigada {

namespace {

constexpr Duration kKeptAfterItsEnd = Duration::seconds(86'400);
constexpr int64_t kLongestTtlMs = 400LL * 86'400'000;  // of budgets in total, renewed by no one

int64_t us(Duration duration) {
    return duration.ns() / 1'000;
}

class Words {
  public:
    Words(const BooksHeader& header, std::string_view command) {
        add("EVALSHA").add(header.script).add(1).add(header.prefix).add(command).add(header.who);
        add(header.not_later_than_us).add(header.replicas);
    }
    Words& add(std::string_view text) {
        words_.emplace_back(text);
        return *this;
    }
    Words& add(int64_t number) {
        words_.push_back(std::to_string(number));
        return *this;
    }
    Words& add(Money money) { return add(money.nano); }
    Words& add(std::optional<int64_t> limit) { return add(limit.value_or(-1)); }
    Words& count(const auto& list) { return add(static_cast<int64_t>(list.size())); }

    Words& add(const SharedBudget& budget) {
        const Duration left = budget.end - WallClock().now();
        const int64_t ttl =
            budget.end == WallTime{INT64_MAX} ? kLongestTtlMs : (left + kKeptAfterItsEnd).ms();
        return add(budget.window)
            .add(budget.earlier)
            .add(int64_t{budget.is_earlier_agreed})
            .add(budget.own)
            .add(std::clamp<int64_t>(ttl, 1, kLongestTtlMs));
    }

    std::vector<std::string> take() { return std::move(words_); }

  private:
    std::vector<std::string> words_;
};

/// The numbers of an answer, one after the other.
class Numbers {
  public:
    explicit Numbers(const BooksReply& reply) : values_(reply.rest) {}

    int64_t next() {
        if (at_ < values_.size() && values_[at_].kind == RedisValue::Kind::integer)
            return values_[at_++].integer;
        is_broken_ = true;
        return 0;
    }
    Money money() { return {next()}; }
    size_t index() { return static_cast<size_t>(std::max<int64_t>(next(), 0)); }
    bool at_end() const { return at_ == values_.size(); }
    bool has_failed() const { return is_broken_; }
    bool is_broken() const { return is_broken_ || !at_end(); }

  private:
    const std::vector<RedisValue>& values_;
    size_t at_ = 0;
    bool is_broken_ = false;
};

Error broken(const BooksReply& reply) {
    return {Code::corrupt, concat("the books in Redis answered '", reply.word,
                                  "' with what does not belong there; are all gateways of one "
                                  "version?")};
}

std::vector<ScopeTotal::Spent> read_spent(Numbers& numbers, size_t budgets) {
    std::vector<ScopeTotal::Spent> out(budgets);
    for (ScopeTotal::Spent& each : out) {
        each.earlier = numbers.money();
        each.since = numbers.money();
    }
    return out;
}

RateRefusal read_rate(Numbers& numbers) {
    RateRefusal out;
    const int64_t kind = numbers.next();
    out.kind = kind == 0   ? LimitKind::requests
               : kind == 1 ? LimitKind::tokens
                           : LimitKind::concurrency;
    out.limit = numbers.next();
    out.remaining = numbers.next();
    out.never_fits = numbers.next() == 1;
    const Duration wait = Duration::microseconds(numbers.next());
    if (!out.never_fits && out.kind != LimitKind::concurrency) out.retry_after = wait;
    return out;
}

}  // namespace

std::vector<std::string> admit_words(const BooksHeader& header, const SharedCall& call) {
    Words words(header, "admit");
    words.add(call.tokens).add(call.cost).count(call.scopes);
    for (const SharedScope& scope : call.scopes) {
        words.add(scope.name)
            .add(scope.limits.requests_per_minute)
            .add(scope.limits.tokens_per_minute)
            .add(scope.limits.concurrent)
            .count(scope.budgets);
        for (const SharedBudget& budget : scope.budgets)
            words.add(budget).add(budget.enforcement == Enforcement::hard ? budget.limit.nano : -1);
    }
    return words.take();
}

std::vector<std::string> finish_words(const BooksHeader& header, const SharedEnd& end) {
    Words words(header, "finish");
    words.add(end.requests).add(end.tokens).add(end.reserved).count(end.scopes);
    for (const SharedEnd::Scope& scope : end.scopes) {
        words.add(scope.name).add(scope.entry).count(scope.budgets);
        for (const SharedBudget& budget : scope.budgets)
            words.add(budget).add(end.cost);
    }
    return words.take();
}

std::vector<std::string> replace_words(const BooksHeader& header,
                                       const std::vector<SharedUse>& uses) {
    Words words(header, "replace");
    words.count(uses);
    for (const SharedUse& each : uses) {
        words.add(each.name).add(each.use.running).add(each.reserved).count(each.use.entries);
        for (const Limiter::Use::Entry& entry : each.use.entries)
            words.add(us(entry.age)).add(entry.requests).add(entry.tokens);
        words.count(each.budgets);
        for (const SharedBudget& budget : each.budgets)
            words.add(budget);
    }
    return words.take();
}

std::vector<std::string> join_words(const BooksHeader& header, const std::string& run,
                                    Duration uptime, Duration age, bool knows_all) {
    Words words(header, "join");
    words.add(run).add(us(uptime)).add(us(age)).add(int64_t{knows_all});
    return words.take();
}

std::vector<std::string> plain_words(const BooksHeader& header, std::string_view command) {
    return Words(header, command).take();
}

Result<BooksReply> read_reply(RedisValue value) {
    if (value.kind != RedisValue::Kind::list || value.list.size() < 2 ||
        value.list[0].kind != RedisValue::Kind::text ||
        value.list[1].kind != RedisValue::Kind::integer)
        return Error{Code::corrupt, "the books in Redis answered what is no answer of theirs"};
    BooksReply out{.word = std::move(value.list[0].text), .now_us = value.list[1].integer};
    out.rest.assign(std::make_move_iterator(value.list.begin() + 2),
                    std::make_move_iterator(value.list.end()));
    return out;
}

Result<SharedAnswer> read_answer(const BooksReply& reply, const SharedCall& call) {
    SharedAnswer out;
    Numbers numbers(reply);
    (void)numbers.next();  // how many replicas are there
    if (reply.word == "yes") {
        for (const SharedScope& scope : call.scopes) {
            ScopeTotal& total = out.totals.emplace_back();
            total.entry = numbers.next();
            total.requests = numbers.next();
            total.tokens = numbers.next();
            total.others_reserved = numbers.money();
            total.budgets = read_spent(numbers, scope.budgets.size());
        }
    } else if (reply.word == "rate") {
        out.rate_scope = numbers.index();
        out.rate = read_rate(numbers);
        if (out.rate_scope >= call.scopes.size()) return broken(reply);
    } else if (reply.word == "budget") {
        do {
            OverBudget over;
            over.scope = numbers.index();
            over.budget = numbers.index();
            over.spent = numbers.money();
            over.reserved = numbers.money();
            if (over.scope >= call.scopes.size() ||
                over.budget >= call.scopes[over.scope].budgets.size())
                return broken(reply);
            out.budgets.push_back(over);
        } while (!numbers.at_end() && !numbers.has_failed());
    } else {
        return broken(reply);
    }
    if (numbers.is_broken()) return broken(reply);
    return out;
}

Result<std::vector<ScopeTotal>> read_totals(const BooksReply& reply, const SharedEnd& end) {
    std::vector<ScopeTotal> out;
    Numbers numbers(reply);
    (void)numbers.next();
    for (const SharedEnd::Scope& scope : end.scopes) {
        ScopeTotal& total = out.emplace_back();
        total.others_reserved = numbers.money();
        total.budgets = read_spent(numbers, scope.budgets.size());
    }
    if (reply.word != "yes" || numbers.is_broken()) return broken(reply);
    return out;
}

}  // namespace brigada
