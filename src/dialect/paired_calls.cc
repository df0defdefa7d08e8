#include "dialect/paired_calls.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/concat.h"

namespace brigada {

namespace {

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/// Gives every call of a conversation an id of its own.
class CallIds {
  public:
    CallIds(bool plain, std::deque<std::string>& made) : plain_(plain), made_(made) {}

    Escaped unique(Escaped wanted) {
        Escaped id = wanted;
        if (id.empty()) id = keep("call");
        if (plain_ && !std::ranges::all_of(id.raw, is_plain)) id = plain(id);
        while (!taken_.insert(id.raw).second)
            id = keep(concat(id.raw, "-", ++again_));
        return id;
    }

  private:
    Escaped keep(std::string text) { return {made_.emplace_back(std::move(text))}; }

    Escaped plain(Escaped id) {
        std::string out(id.raw);
        std::ranges::replace_if(out, [](char c) { return !is_plain(c); }, '_');
        return keep(std::move(out));
    }

    bool plain_;
    std::deque<std::string>& made_;
    std::unordered_set<std::string_view> taken_;
    uint64_t again_ = 0;
};

class Pairing {
  public:
    explicit Pairing(bool plain_ids) : ids_(plain_ids, out_.made) {}

    PairedMessages pair(const std::vector<Message>& messages) {
        for (size_t at = 0; at < messages.size();) {
            size_t next = at;
            while (next < messages.size() && messages[next].role == Role::assistant)
                ++next;
            if (next > at) add_assistant({&messages[at], next - at});
            at = next;
            while (next < messages.size() && messages[next].role != Role::assistant)
                ++next;
            collect_results({&messages[at], next - at});
            answer_calls();
            for (; at < next; ++at)
                add_rest(messages[at]);
        }
        return std::move(out_);
    }

  private:
    struct Results {
        std::vector<const ToolResultBlock*> in_order = {};
        size_t taken = 0;
    };

    /// One message of all; its calls wait for their answers.
    void add_assistant(std::span<const Message> messages) {
        Message& turn = out_.messages.emplace_back(messages[0]);
        for (const Message& message : messages.subspan(1))
            turn.blocks.insert(turn.blocks.end(), message.blocks.begin(), message.blocks.end());
        for (Block& block : turn.blocks) {
            auto* call = std::get_if<ToolCallBlock>(&block);
            if (call == nullptr) continue;
            const Escaped asked = call->id;
            call->id = ids_.unique(asked);
            open_.push_back({.asked = asked, .id = call->id, .custom = call->custom});
        }
    }

    void collect_results(std::span<const Message> messages) {
        results_.clear();
        for (const Message& message : messages)
            for (const Block& block : message.blocks)
                if (const auto* result = std::get_if<ToolResultBlock>(&block))
                    results_[result->call_id.raw].in_order.push_back(result);
    }

    void answer_calls() {
        results_are_last_ = !open_.empty();
        if (open_.empty()) return;
        Message& answer = out_.messages.emplace_back(Message{.role = Role::user});
        for (const OpenCall& call : open_)
            answer.blocks.push_back(answer_to(call));
        open_.clear();
    }

    ToolResultBlock answer_to(const auto& call) {
        ToolResultBlock out{.content = {TextBlock{{"This call was not answered."}}},
                            .is_error = true};
        const auto found = results_.find(call.asked.raw);
        if (found != results_.end() && found->second.taken < found->second.in_order.size()) {
            const ToolResultBlock* result = found->second.in_order[found->second.taken++];
            answered_.insert(result);
            out = *result;
        }
        out.call_id = call.id;
        out.custom = call.custom;
        return out;
    }

    /// What is left of a message without the results that have found their calls. Where it follows
    /// those it stood with, it stays with them.
    void add_rest(const Message& message) {
        Message rest{.role = message.role, .blocks = {}, .name = message.name};
        bool beside_results = false;
        for (const Block& block : message.blocks) {
            const auto* result = std::get_if<ToolResultBlock>(&block);
            if (result == nullptr)
                rest.blocks.push_back(block);
            else if (answered_.contains(result))
                beside_results = true;
            else
                add_stray(*result, rest);
        }
        if (beside_results && results_are_last_) {
            std::vector<Block>& together = out_.messages.back().blocks;
            together.insert(together.end(), rest.blocks.begin(), rest.blocks.end());
        } else if (!rest.blocks.empty() || message.blocks.empty()) {
            out_.messages.push_back(std::move(rest));
            results_are_last_ = false;
        }
    }

    void add_stray(const ToolResultBlock& result, Message& to) {
        const std::string& title = out_.made.emplace_back(
            concat("Result of the tool call \\\"", result.call_id.raw, "\\\":"));
        to.blocks.push_back(TextBlock{{title}});
        for (const ToolResultPart& part : result.content)
            std::visit([&](const auto& block) { to.blocks.push_back(block); }, part);
    }

    struct OpenCall {
        Escaped asked = {};
        Escaped id = {};
        bool custom = false;
    };

    PairedMessages out_;
    CallIds ids_;
    std::vector<OpenCall> open_;
    std::unordered_map<std::string_view, Results> results_;
    std::unordered_set<const ToolResultBlock*> answered_;
    bool results_are_last_ = false;  // of what has been put out
};

}  // namespace

PairedMessages paired_calls(const Conversation& conversation, bool plain_ids) {
    return Pairing(plain_ids).pair(conversation.messages);
}

}  // namespace brigada
