// Answers in Chat Completions: a chunk for each event. Thoughts are reasoning_content; their
// signatures have no place here and are left out.
#include <map>
#include <set>

#include "base/concat.h"
#include "dialect/answer_end.h"
#include "dialect/answer_ids.h"
#include "dialect/answer_usage.h"
#include "dialect/answer_writers.h"
#include "dialect/collected_answer.h"
#include "dialect/json_text.h"

namespace brigada {

namespace {

constexpr std::string_view kIdPrefix = "chatcmpl-", kCallPrefix = "call_";

/// null where there are none.
std::string logprobs_object(std::string_view elements) {
    if (elements.empty()) return "null";
    return concat(R"({"content":[)", elements, R"(],"refusal":null})");
}

struct ChoiceState {
    bool begun = false;
    bool refused = false;
    std::set<uint32_t> silent_calls = {};  // begun, without arguments so far
};

/// Appends chunks to `out` as events come.
class ChatStream {
  public:
    explicit ChatStream(const AnswerFrame& frame)
        : frame_(frame), asked_usage_(frame.asked && frame.asked->include_usage) {}

    void write(const AnswerEvent& event, std::string& out) {
        out_ = &out;
        std::visit(*this, event);
    }

    void operator()(const AnswerBegan& began) {
        begin(began);
        choice(0);
    }
    void operator()(const TextDelta& delta) { text(delta, "content", delta.logprobs); }
    void operator()(const ThinkingDelta& delta) { text(delta, "reasoning_content"); }
    void operator()(const ThinkingSigned&) {}
    void operator()(const RedactedThinking&) {}
    void operator()(const RefusalDelta& delta) {
        choice(delta.choice).refused = true;
        text(delta, "refusal");
    }
    void operator()(const ToolCallBegan& call) {
        choice(call.choice).silent_calls.insert(call.call);
        const std::string id = call_id(call.id, id_, kCallPrefix, call.choice, call.call);
        chunk(call.choice, R"({"tool_calls":[{"index":)", call.call, R"(,"id":)", Escaped{id},
              R"(,"type":"function","function":{"name":)", call.name, R"(,"arguments":""}}]})");
    }
    void operator()(const ToolArgumentsDelta& delta) {
        if (delta.text.empty()) return;
        choice(delta.choice).silent_calls.erase(delta.call);
        arguments(delta.choice, delta.call, delta.text);
    }
    void operator()(const ChoiceEnded& ended) {
        ChoiceState& state = choice(ended.choice);
        for (uint32_t call : state.silent_calls)
            arguments(ended.choice, call, kNoArguments);
        begin_chunk(ended.choice, "{}");
        end_chunk(chat_finish_reason(ended.reason, state.refused));
    }
    void operator()(const UsageTold& told) { usage_ = told; }
    void operator()(const AnswerEnded&) {
        if (asked_usage_ && usage_) usage_chunk();
        *out_ += "data: [DONE]\n\n";
    }
    void operator()(const AnswerFailed& failed) {
        *out_ += dialect_error_event(failed.error, Dialect::chat);
    }

  private:
    void begin(const AnswerBegan& began) {
        if (!head_.empty()) return;
        if (began.usage) usage_ = UsageTold{.usage = *began.usage};
        id_ = answer_id(began.id, frame_, kIdPrefix);
        const std::string model = answer_model(began.model, frame_);
        append_json(head_, R"(data: {"id":)", Escaped{id_},
                    R"(,"object":"chat.completion.chunk","created":)",
                    began.created_unix ? began.created_unix : frame_.created_unix, R"(,"model":)",
                    Escaped{model}, asked_usage_ ? R"(,"usage":)" : "");
    }

    /// Its first chunk names the role.
    ChoiceState& choice(uint32_t number) {
        ChoiceState& state = choices_[number];
        if (!std::exchange(state.begun, true))
            chunk(number, R"({"role":"assistant","content":""})");
        return state;
    }

    template <typename Delta>
    void text(const Delta& delta, std::string_view field, RawJson logprobs = {}) {
        if (delta.text.empty()) return;
        choice(delta.choice);
        begin_chunk(delta.choice, "{", Escaped{field}, ":", delta.text, "}");
        end_chunk({}, logprobs_object(elements_of(logprobs)));
    }

    void arguments(uint32_t number, uint32_t call, Escaped text) {
        chunk(number, R"({"tool_calls":[{"index":)", call, R"(,"function":{"arguments":)", text,
              "}}]}");
    }

    template <typename... Pieces>
    void chunk(uint32_t number, const Pieces&... delta) {
        begin_chunk(number, delta...);
        end_chunk({});
    }

    template <typename... Pieces>
    void begin_chunk(uint32_t number, const Pieces&... delta) {
        append_json(*out_, std::string_view(head_), asked_usage_ ? "null" : "",
                    R"(,"choices":[{"index":)", number, R"(,"delta":)", delta...);
    }

    void end_chunk(std::string_view finish_reason, std::string_view logprobs = "null") {
        append_json(*out_, R"(,"logprobs":)", logprobs, R"(,"finish_reason":)");
        if (finish_reason.empty())
            *out_ += "null";
        else
            append_piece(*out_, Escaped{finish_reason});
        *out_ += "}]}\n\n";
    }

    void usage_chunk() {
        *out_ += head_;
        append_usage(*out_, *usage_, Dialect::chat);
        *out_ += ",\"choices\":[]}\n\n";
    }

    AnswerFrame frame_;
    bool asked_usage_;
    std::string* out_ = nullptr;
    std::string head_;  // of every chunk, up to the value of its usage or its choices
    std::string id_;
    std::map<uint32_t, ChoiceState> choices_;
    std::optional<UsageTold> usage_;
};

/// All text of a kind, in quotes; null where there is none.
std::string joined_text(const CollectedChoice& choice, AnswerBlock::Kind kind) {
    if (!choice.has(kind)) return "null";
    std::string out = "\"";
    for (const AnswerBlock& block : choice.blocks)
        if (block.kind == kind) out += block.text;
    return out + '"';
}

void append_calls(std::string& out, const CollectedChoice& choice, uint32_t number,
                  std::string_view answer) {
    std::string_view separator = R"(,"tool_calls":[)";
    for (const AnswerBlock& block : choice.blocks) {
        if (block.kind != AnswerBlock::Kind::call) continue;
        const std::string id = call_id(Escaped{block.id}, answer, kCallPrefix, number, block.call);
        append_json(out, std::exchange(separator, ","), R"({"id":)", Escaped{id},
                    R"(,"type":"function","function":{"name":)", Escaped{block.name},
                    R"(,"arguments":)", arguments_of(block), "}}");
    }
    if (choice.has(AnswerBlock::Kind::call)) out += ']';
}

std::string joined_logprobs(const CollectedChoice& choice) {
    std::string out;
    for (const AnswerBlock& block : choice.blocks)
        append_elements(out, block.logprobs);
    return logprobs_object(out);
}

void append_choice(std::string& out, const CollectedChoice& choice, uint32_t number,
                   std::string_view answer) {
    using Kind = AnswerBlock::Kind;
    const bool silent = choice.has(Kind::call) || choice.has(Kind::refusal);
    const std::string content = joined_text(choice, Kind::text);
    append_json(out, R"({"index":)", number, R"(,"message":{"role":"assistant","content":)",
                content == "null" && !silent ? R"("")" : content, R"(,"refusal":)",
                joined_text(choice, Kind::refusal));
    if (choice.has(Kind::thinking))
        append_json(out, R"(,"reasoning_content":)", joined_text(choice, Kind::thinking));
    append_calls(out, choice, number, answer);
    append_json(out, R"(},"logprobs":)", joined_logprobs(choice), R"(,"finish_reason":)",
                Escaped{chat_finish_reason(choice.end, choice.has(Kind::refusal))}, "}");
}

std::string whole_chat_answer(const CollectedAnswer& answer, const AnswerFrame& frame) {
    const std::string id = answer_id(Escaped{answer.id}, frame, kIdPrefix);
    const std::string model = answer_model(Escaped{answer.model}, frame);
    std::string out;
    append_json(out, R"({"id":)", Escaped{id}, R"(,"object":"chat.completion","created":)",
                answer.created_unix ? answer.created_unix : frame.created_unix, R"(,"model":)",
                Escaped{model});
    std::string_view separator = R"(,"choices":[)";
    for (const auto& [number, choice] : answer.choices) {
        out += std::exchange(separator, ",");
        append_choice(out, choice, number, id);
    }
    out += ']';
    if (answer.usage) {
        out += R"(,"usage":)";
        append_usage(out, *answer.usage, Dialect::chat);
    }
    return out + '}';
}

class ChatAnswerWriter final : public AnswerWriter {
  public:
    explicit ChatAnswerWriter(AnswerFrame frame) : frame_(std::move(frame)), stream_(frame_) {}

    void write(const AnswerEvent& event, std::string& out) override { stream_.write(event, out); }
    void collect(const AnswerEvent& event) override { collected_.add(event); }
    std::string whole() override { return whole_chat_answer(collected_, frame_); }

  private:
    AnswerFrame frame_;
    ChatStream stream_;
    CollectedAnswer collected_;
};

}  // namespace

std::unique_ptr<AnswerWriter> make_chat_answer_writer(AnswerFrame frame) {
    return std::make_unique<ChatAnswerWriter>(std::move(frame));
}

}  // namespace brigada
