// CallCache: one call's business with the answer cache: its key, and its answer as it is recorded
// while it passes to the client.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "gateway/answer_cache.h"
#include "gateway/cache_controls.h"

namespace brigada {

class CallCache {
  public:
    CallCache(CachePlan plan, AnswerKey key, size_t largest)
        : plan_(std::move(plan)), key_(key), largest_(largest), records_(plan_.writes) {}

    const CachePlan& plan() const { return plan_; }
    const AnswerKey& key() const { return key_; }
    bool hit() const { return hit_; }
    void set_hit() { hit_ = true; }

    /// The next bytes that the client gets. An answer that grows too large is let go.
    void record(std::string_view bytes) {
        if (!records_) return;
        records_ = body_.size() + bytes.size() <= largest_;
        if (records_)
            body_ += bytes;
        else
            body_ = {};
    }

    /// Whether all that was recorded may be kept.
    bool has_answer() const { return records_ && !body_.empty(); }
    std::string take() {
        records_ = false;
        return std::move(body_);
    }

  private:
    CachePlan plan_;
    AnswerKey key_;
    size_t largest_;
    bool records_;
    bool hit_ = false;
    std::string body_;
};

}  // namespace brigada
