// Answers in OpenAI's Responses: items that follow each other, of the first choice, each told as it
// grows and once more when it is whole. Thoughts are the summary of a reasoning item.
#include "base/concat.h"
#include "dialect/answer_end.h"
#include "dialect/answer_ids.h"
#include "dialect/answer_usage.h"
#include "dialect/answer_writers.h"
#include "dialect/block_line.h"
#include "dialect/collected_answer.h"
#include "dialect/json_text.h"
#include "dialect/response_object.h"

namespace brigada {

namespace {

using Kind = AnswerBlock::Kind;
using Status = ResponseItem::Status;

constexpr std::string_view kIdPrefix = "resp_";

std::string usage_text(const UsageTold& told) {
    std::string out;
    append_usage(out, told, Dialect::responses);
    return out;
}

std::string error_text(const DialectError& error) {
    std::string out;
    append_json(out, R"({"code":)", Escaped{response_error_code(error.kind)}, R"(,"message":)",
                Escaped{escaped(error.message)}, "}");
    return out;
}

bool is_cut(AnswerEnd end) {
    return end == AnswerEnd::length || end == AnswerEnd::content_filter;
}

class ResponsesStream final : private FirstChoiceBlocks {
  public:
    explicit ResponsesStream(const AnswerFrame& frame) : frame_(frame) {}

    using FirstChoiceBlocks::operator();

    void write(const AnswerEvent& event, std::string& out) {
        out_ = &out;
        std::visit(*this, event);
    }

    void operator()(const AnswerBegan& began) {
        if (!state_.status.empty()) return;
        state_.id = answer_id(began.id, frame_, kIdPrefix);
        state_.model = answer_model(began.model, frame_);
        state_.created_unix = began.created_unix ? began.created_unix : frame_.created_unix;
        if (began.usage) usage_ = UsageTold{.usage = *began.usage};
        state_.status = "in_progress";
        tell_state("response.created");
        tell_state("response.in_progress");
    }
    void operator()(const ChoiceEnded& ended) {
        if (ended.choice != 0) return;
        if (is_cut(ended.reason)) item_status_ = Status::incomplete;
        finish_blocks();
        state_.incomplete_reason = responses_incomplete_reason(ended.reason, refused_);
    }
    void operator()(const UsageTold& told) { usage_ = told; }
    void operator()(const AnswerEnded&) {
        finish_blocks();
        if (usage_) state_.usage = usage_text(*usage_);
        state_.status = state_.incomplete_reason.empty() ? "completed" : "incomplete";
        tell_state(state_.incomplete_reason.empty() ? "response.completed" : "response.incomplete");
    }
    void operator()(const AnswerFailed& failed) {
        (*this)(AnswerBegan{});
        if (usage_) state_.usage = usage_text(*usage_);
        state_.status = "failed";
        state_.incomplete_reason = {};
        state_.error = error_text(failed.error);
        tell_state("response.failed");
    }

  private:
    void begin_block(const AnswerBlock& block) override {
        item_.emplace(block, state_.id, output_index_, frame_.asked);
        begin_event("response.output_item.added");
        append_json(*out_, R"(,"output_index":)", output_index_, R"(,"item":)");
        item_->append(*out_, Status::in_progress);
        end_event();
        if (is_message(block)) tell_part("response.content_part.added", block, {});
    }

    void block_text(const AnswerBlock& block, Escaped text, std::string_view logprobs) override {
        if (block.kind == Kind::thinking && block.text.size() == text.raw.size())
            tell_part("response.reasoning_summary_part.added", block, {});
        if (!item_->is_custom()) tell_delta(block, text, logprobs);
    }

    void end_block(const AnswerBlock& block) override {
        if (block.kind == Kind::call)
            end_call(block);
        else if (is_message(block) || (block.kind == Kind::thinking && !block.text.empty()))
            end_text(block);
        begin_event("response.output_item.done");
        append_json(*out_, R"(,"output_index":)", output_index_, R"(,"item":)");
        const size_t item_begins = out_->size();
        item_->append(*out_, item_status_);
        if (!output_.empty()) output_ += ',';
        output_.append(*out_, item_begins);
        end_event();
        ++output_index_;
        refused_ |= block.kind == Kind::refusal;
    }

    static bool is_message(const AnswerBlock& block) {
        return block.kind == Kind::text || block.kind == Kind::refusal;
    }

    void end_text(const AnswerBlock& block) {
        const Escaped text{block.text};
        if (block.kind == Kind::refusal) {
            tell_text("response.refusal.done", block, "refusal", text);
            tell_part("response.content_part.done", block, text);
        } else if (block.kind == Kind::text) {
            tell_text("response.output_text.done", block, "text", text, list_of(block.logprobs));
            tell_part("response.content_part.done", block, text);
        } else {
            tell_text("response.reasoning_summary_text.done", block, "text", text);
            tell_part("response.reasoning_summary_part.done", block, text);
        }
    }

    /// Free text comes wrapped in JSON, and is unwrapped when that is whole.
    void end_call(const AnswerBlock& block) {
        const std::string text = item_->call_text();
        if (item_->is_custom()) {
            if (!text.empty())
                tell_text("response.custom_tool_call_input.delta", block, "delta", Escaped{text});
            tell_text("response.custom_tool_call_input.done", block, "input", Escaped{text});
        } else {
            if (block.text.empty()) tell_delta(block, Escaped{text});
            tell_text("response.function_call_arguments.done", block, "arguments", Escaped{text});
        }
    }

    static std::string list_of(std::string_view logprobs) {
        return concat(R"(,"logprobs":[)", logprobs, "]");
    }

    void tell_delta(const AnswerBlock& block, Escaped text, std::string_view logprobs = {}) {
        switch (block.kind) {
            case Kind::text:
                return tell_text("response.output_text.delta", block, "delta", text,
                                 list_of(logprobs));
            case Kind::refusal:
                return tell_text("response.refusal.delta", block, "delta", text);
            case Kind::thinking:
                return tell_text("response.reasoning_summary_text.delta", block, "delta", text);
            case Kind::call:
                return tell_text("response.function_call_arguments.delta", block, "delta", text);
            case Kind::redacted:
                return;
        }
    }

    void tell_text(std::string_view type, const AnswerBlock& block, std::string_view field,
                   Escaped text, std::string_view more = {}) {
        begin_item_event(type, block);
        append_json(*out_, ",", Escaped{field}, ":", text, more);
        end_event();
    }

    void tell_part(std::string_view type, const AnswerBlock& block, Escaped text) {
        begin_item_event(type, block);
        *out_ += R"(,"part":)";
        item_->append_part(*out_, text);
        end_event();
    }

    void begin_item_event(std::string_view type, const AnswerBlock& block) {
        begin_event(type);
        append_json(*out_, R"(,"item_id":)", Escaped{item_->id()}, R"(,"output_index":)",
                    output_index_);
        if (is_message(block)) *out_ += R"(,"content_index":0)";
        if (block.kind == Kind::thinking) *out_ += R"(,"summary_index":0)";
    }

    void tell_state(std::string_view type) {
        state_.output = output_;
        begin_event(type);
        *out_ += R"(,"response":)";
        append_response(*out_, state_, frame_.asked);
        end_event();
    }

    void begin_event(std::string_view type) {
        append_json(*out_, "event: ", type, "\ndata: {\"type\":", Escaped{type},
                    R"(,"sequence_number":)", sequence_++);
    }

    void end_event() { *out_ += "}\n\n"; }

    AnswerFrame frame_;
    std::string* out_ = nullptr;
    uint64_t sequence_ = 0;
    ResponseState state_;
    std::optional<ResponseItem> item_;  // of the open block
    uint32_t output_index_ = 0;
    std::string output_;  // the items that are whole
    Status item_status_ = Status::completed;
    bool refused_ = false;
    std::optional<UsageTold> usage_;
};

std::string whole_response(CollectedAnswer& answer, const AnswerFrame& frame) {
    const CollectedChoice& choice = answer.choices[0];
    ResponseState state{
        .id = answer_id(Escaped{answer.id}, frame, kIdPrefix),
        .model = answer_model(Escaped{answer.model}, frame),
        .created_unix = answer.created_unix ? answer.created_unix : frame.created_unix,
        .incomplete_reason = responses_incomplete_reason(choice.end, choice.has(Kind::refusal))};
    state.status = state.incomplete_reason.empty() ? "completed" : "incomplete";
    if (answer.usage) state.usage = usage_text(*answer.usage);
    std::string output;
    for (uint32_t i = 0; i < choice.blocks.size(); ++i) {
        const bool cut = is_cut(choice.end) && i + 1 == choice.blocks.size();
        if (i > 0) output += ',';
        ResponseItem(choice.blocks[i], state.id, i, frame.asked)
            .append(output, cut ? Status::incomplete : Status::completed);
    }
    state.output = output;
    std::string out;
    append_response(out, state, frame.asked);
    return out;
}

class ResponsesAnswerWriter final : public AnswerWriter {
  public:
    explicit ResponsesAnswerWriter(AnswerFrame frame) : frame_(std::move(frame)), stream_(frame_) {}

    void write(const AnswerEvent& event, std::string& out) override { stream_.write(event, out); }
    void collect(const AnswerEvent& event) override { collected_.add(event); }
    std::string whole() override { return whole_response(collected_, frame_); }

  private:
    AnswerFrame frame_;
    ResponsesStream stream_;
    CollectedAnswer collected_;
};

}  // namespace

std::unique_ptr<AnswerWriter> make_responses_answer_writer(AnswerFrame frame) {
    return std::make_unique<ResponsesAnswerWriter>(std::move(frame));
}

}  // namespace brigada
