#include "ledger/call_record.h"

#include <algorithm>
#include <limits>
#include <span>

#include "ledger/field_codec.h"

namespace brigada {

namespace {

constexpr unsigned char kVersion = 1;

/// Field numbers are in files: never reuse one. Gaps leave room beside what belongs together.
namespace field {
enum : uint8_t {
    id = 1,
    started = 2,
    first_byte = 3,
    ended = 4,
    organisation = 10,
    team = 11,
    user = 12,
    key = 13,
    end_user = 14,
    session = 20,
    model_asked = 21,
    model_served = 22,
    upstream = 23,
    dialect = 24,
    status = 30,
    http_status = 31,
    input = 32,
    cached_input = 33,
    cache_write = 34,
    output = 35,
    usage_counted_here = 36,
    cost = 37,
    attempt = 40,
    tag = 41,
    input_rate = 50,
    cached_input_rate = 51,
    cache_write_rate = 52,
    output_rate = 53,
    fee = 54,
};
}  // namespace field

/// At most so many bytes, cut at a character's border.
std::string_view cut(std::string_view text, size_t most) {
    if (text.size() <= most) return text;
    size_t end = most;
    const auto continues = [&] { return (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; };
    while (end > most - 3 && continues())
        --end;
    return text.substr(0, end);
}

int64_t clamp_tokens(int64_t tokens) {
    return std::clamp<int64_t>(tokens, 0, kCallTokens);
}

std::string encode(const CallAttempt& attempt, size_t text_bytes) {
    FieldWriter out;
    out.text(field::upstream, cut(attempt.upstream, text_bytes));
    out.integer(field::status, static_cast<int64_t>(attempt.status));
    out.integer(field::http_status, std::max(attempt.http_status, 0));
    out.integer(field::started, attempt.started.ns);
    out.integer(field::ended, attempt.ended.ns);
    return out.take();
}

/// One field's bytes into one member, whatever its type.
Result<void> take(const Field& from, std::string& into) {
    into.assign(from.bytes);
    return {};
}

Result<void> take(const Field& from, int64_t& into) {
    TRY(into, from.integer());
    return {};
}

Result<void> take(const Field& from, WallTime& into) {
    return take(from, into.ns);
}

Result<void> take(const Field& from, int& into) {
    TRY(const int64_t value, from.integer());
    if (value < 0 || value > std::numeric_limits<int>::max())
        return Error{Code::corrupt, concat("field ", int{from.number}, " is ", value)};
    into = static_cast<int>(value);
    return {};
}

Result<void> take(const Field& from, bool& into) {
    TRY(const int64_t value, from.integer());
    into = value != 0;
    return {};
}

Result<void> take(const Field& from, CallStatus& into) {
    TRY(const int64_t value, from.integer());
    if (value < 0 || value >= kCallStatuses)
        return Error{Code::corrupt,
                     concat("status ", value, "; this build knows 0 to ", kCallStatuses - 1)};
    into = static_cast<CallStatus>(value);
    return {};
}

Result<void> take(const Field& from, RecordId& into) {
    const auto id = RecordId::from_bytes(from.bytes);
    if (!id) return Error{Code::corrupt, concat("an id of ", from.bytes.size(), " bytes")};
    into = *id;
    return {};
}

Result<void> take_field(const Field& from, CallRecord& into);

Result<void> take_field(const Field& from, CallAttempt& into) {
    switch (from.number) {
        case field::upstream:
            return take(from, into.upstream);
        case field::status:
            return take(from, into.status);
        case field::http_status:
            return take(from, into.http_status);
        case field::started:
            return take(from, into.started);
        case field::ended:
            return take(from, into.ended);
        default:
            return {};
    }
}

template <typename T>
Result<void> take_fields(std::string_view bytes, T& into) {
    for (FieldReader reader(bytes); !reader.done();) {
        TRY(const Field next, reader.next());
        TRY(take_field(next, into));
    }
    return {};
}

Result<void> take(const Field& from, std::vector<CallAttempt>& into) {
    return take_fields(from.bytes, into.emplace_back());
}

Result<void> take_field(const Field& from, CallRecord& into) {
    switch (from.number) {
        case field::id:
            return take(from, into.id);
        case field::started:
            return take(from, into.started);
        case field::first_byte:
            return take(from, into.first_byte);
        case field::ended:
            return take(from, into.ended);
        case field::organisation:
            return take(from, into.organisation);
        case field::team:
            return take(from, into.team);
        case field::user:
            return take(from, into.user);
        case field::key:
            return take(from, into.key);
        case field::end_user:
            return take(from, into.end_user);
        case field::session:
            return take(from, into.session);
        case field::model_asked:
            return take(from, into.model_asked);
        case field::model_served:
            return take(from, into.model_served);
        case field::upstream:
            return take(from, into.upstream);
        case field::dialect:
            return take(from, into.dialect);
        case field::status:
            return take(from, into.status);
        case field::http_status:
            return take(from, into.http_status);
        case field::input:
            return take(from, into.usage.input);
        case field::cached_input:
            return take(from, into.usage.cached_input);
        case field::cache_write:
            return take(from, into.usage.cache_write);
        case field::output:
            return take(from, into.usage.output);
        case field::usage_counted_here:
            return take(from, into.usage_counted_here);
        case field::cost:
            return take(from, into.cost.nano);
        case field::input_rate:
            return take(from, into.rates.input);
        case field::cached_input_rate:
            return take(from, into.rates.cached_input);
        case field::cache_write_rate:
            return take(from, into.rates.cache_write);
        case field::output_rate:
            return take(from, into.rates.output);
        case field::fee:
            return take(from, into.fee);
        case field::attempt:
            return take(from, into.attempts);
        case field::tag:
            return take(from, into.tags.emplace_back());
        default:
            return {};  // a newer version's
    }
}

/// Writes a record's fields, none of them beyond its bounds.
class RecordWriter {
  public:
    RecordWriter(const CallRecord& record, const RecordBounds& bounds)
        : record_(record), bounds_(bounds), out_(1, static_cast<char>(kVersion)) {}

    std::string write() {
        const auto id = record_.id.bytes();
        out_.item(field::id, {id.data(), id.size()});
        out_.integer(field::started, record_.started.ns);
        out_.integer(field::first_byte, record_.first_byte.ns);
        out_.integer(field::ended, record_.ended.ns);
        write_who();
        write_what();
        write_outcome();
        write_price();
        write_lists();
        return out_.take();
    }

  private:
    void text(uint8_t number, const std::string& value) {
        out_.text(number, cut(value, bounds_.text_bytes));
    }

    void write_who() {
        text(field::organisation, record_.organisation);
        text(field::team, record_.team);
        text(field::user, record_.user);
        text(field::key, record_.key);
        text(field::end_user, record_.end_user);
    }

    void write_what() {
        text(field::session, record_.session);
        text(field::model_asked, record_.model_asked);
        text(field::model_served, record_.model_served);
        text(field::upstream, record_.upstream);
        text(field::dialect, record_.dialect);
    }

    void write_outcome() {
        out_.integer(field::status, static_cast<int64_t>(record_.status));
        out_.integer(field::http_status, std::max(record_.http_status, 0));
        out_.integer(field::input, clamp_tokens(record_.usage.input));
        out_.integer(field::cached_input, clamp_tokens(record_.usage.cached_input));
        out_.integer(field::cache_write, clamp_tokens(record_.usage.cache_write));
        out_.integer(field::output, clamp_tokens(record_.usage.output));
        out_.integer(field::usage_counted_here, record_.usage_counted_here ? 1 : 0);
        out_.integer(field::cost, std::clamp(record_.cost, Money{}, kCallCost).nano);
    }

    void write_price() {
        out_.integer(field::input_rate, record_.rates.input);
        out_.integer(field::cached_input_rate, record_.rates.cached_input);
        out_.integer(field::cache_write_rate, record_.rates.cache_write);
        out_.integer(field::output_rate, record_.rates.output);
        out_.integer(field::fee, record_.fee);
    }

    void write_lists() {
        const size_t attempts = std::min(record_.attempts.size(), bounds_.attempts);
        for (const CallAttempt& attempt : std::span(record_.attempts).last(attempts))
            out_.item(field::attempt, encode(attempt, bounds_.text_bytes));
        for (const std::string& tag :
             std::span(record_.tags).first(std::min(record_.tags.size(), bounds_.tags)))
            out_.item(field::tag, cut(tag, bounds_.text_bytes));
    }

    const CallRecord& record_;
    const RecordBounds& bounds_;
    FieldWriter out_;
};

}  // namespace

std::string_view to_string(CallStatus status) {
    switch (status) {
        case CallStatus::ok:
            return "ok";
        case CallStatus::upstream_error:
            return "upstream_error";
        case CallStatus::aborted:
            return "aborted";
        case CallStatus::timeout:
            return "timeout";
        case CallStatus::cut:
            return "cut";
        case CallStatus::lost:
            return "lost";
    }
    return "unknown";
}

std::string encode(const CallRecord& record, const RecordBounds& bounds) {
    return RecordWriter(record, bounds).write();
}

Result<CallRecord> decode_call_record(std::string_view bytes) {
    if (bytes.empty()) return Error{Code::corrupt, "an empty call record"};
    if (const auto version = static_cast<unsigned char>(bytes.front()); version != kVersion)
        return Error{version > kVersion ? Code::unsupported : Code::corrupt,
                     concat("call record of version ", int{version}, "; this build reads version ",
                            int{kVersion})};
    CallRecord record;
    if (Result<void> taken = take_fields(bytes.substr(1), record); !taken)
        return std::move(taken).error().in("call record");
    if (record.id == RecordId{}) return Error{Code::corrupt, "a call record without an id"};
    return record;
}

}  // namespace brigada
