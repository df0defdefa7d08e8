#include "gateway/refusal_book.h"

#include <algorithm>

#include "base/concat.h"
#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

constexpr size_t kModelBytes = 128;  // clients may ask for anything

}  // namespace

bool is_of_policy(int status) {
    return status == 401 || status == 402 || status == 403 || status == 429;
}

void RefusalBook::add(std::string_view key, std::string_view type, int status,
                      std::string_view model, std::string_view message, WallTime now) {
    Who who{std::string(key), std::string(type), std::string(model.substr(0, kModelBytes))};
    if (waiting_.size() >= kMost && !waiting_.contains(who)) who.key = who.model = "others";
    Sum& sum = waiting_[std::move(who)];
    if (sum.times++ == 0) sum.first = now;
    sum.status = status;
    sum.last = std::max(sum.last, now);
    sum.message = message;
}

std::vector<AuditEvent> RefusalBook::take(WallTime now) {
    std::vector<AuditEvent> out;
    std::erase_if(waiting_, [&](const auto& entry) {
        const auto& [who, sum] = entry;
        if (now - sum.first < kGather) return false;
        out.push_back(event_of(who, sum));
        return true;
    });
    return out;
}

std::vector<AuditEvent> RefusalBook::take_all() {
    std::vector<AuditEvent> out;
    for (const auto& [who, sum] : waiting_)
        out.push_back(event_of(who, sum));
    waiting_.clear();
    return out;
}

AuditEvent RefusalBook::event_of(const Who& who, const Sum& sum) {
    return {.at = sum.last,
            .actor = who.key.empty() ? "unknown key" : concat("key/", who.key),
            .action = "policy.refuse",
            .object = who.model.empty() ? "gateway" : concat("model/", who.model),
            .after = {{"type", who.type},
                      {"status", sum.status},
                      {"times", sum.times},
                      {"since", iso_text(sum.first)},
                      {"message", sum.message}}};
}

}  // namespace brigada
