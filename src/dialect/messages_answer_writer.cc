// Answers in Anthropic's Messages: blocks that follow each other, of the first choice. A refusal is
// a text block here, with its own stop_reason.
#include "dialect/answer_end.h"
#include "dialect/answer_ids.h"
#include "dialect/answer_usage.h"
#include "dialect/answer_writers.h"
#include "dialect/block_line.h"
#include "dialect/collected_answer.h"
#include "dialect/json_text.h"
#include "dialect/tool_words.h"

namespace brigada {

namespace {

using Kind = AnswerBlock::Kind;

constexpr std::string_view kIdPrefix = "msg_", kCallPrefix = "toolu_";

/// Up to the stop_reason.
void append_message_head(std::string& out, std::string_view id, std::string_view model) {
    append_json(out, R"("id":)", Escaped{id}, R"(,"type":"message","role":"assistant","model":)",
                Escaped{model}, R"(,"content":[)");
}

void append_end(std::string& out, AnswerEnd end, std::string_view stop_sequence) {
    append_json(out, R"("stop_reason":)", Escaped{messages_stop_reason(end)},
                R"(,"stop_sequence":)");
    if (end == AnswerEnd::stop_sequence && !stop_sequence.empty())
        append_piece(out, Escaped{stop_sequence});
    else
        out += "null";
}

class MessagesStream final : private FirstChoiceBlocks {
  public:
    explicit MessagesStream(const AnswerFrame& frame) : frame_(frame) {}

    using FirstChoiceBlocks::operator();

    void write(const AnswerEvent& event, std::string& out) {
        out_ = &out;
        std::visit(*this, event);
    }

    void operator()(const AnswerBegan& began) {
        if (began.usage) usage_ = UsageTold{.usage = *began.usage};
        id_ = answer_id(began.id, frame_, kIdPrefix);
        const std::string model = answer_model(began.model, frame_);
        begin_event("message_start", R"("message":{)");
        append_message_head(*out_, id_, model);
        *out_ += R"(],"stop_reason":null,"stop_sequence":null,"usage":)";
        append_usage(*out_, usage_, Dialect::messages);
        end_event("}");
    }
    void operator()(const ChoiceEnded& ended) {
        if (ended.choice != 0) return;
        finish_blocks();
        end_ = ended.reason;
        stop_sequence_ = ended.stop_sequence.raw;
    }
    void operator()(const UsageTold& told) { usage_ = told; }
    void operator()(const AnswerEnded&) {
        finish_blocks();
        if (index_ == 0) empty_text();
        begin_event("message_delta", R"("delta":{)");
        append_end(*out_, end_, stop_sequence_);
        *out_ += R"(},"usage":)";
        append_usage(*out_, usage_, Dialect::messages);
        end_event("");
        *out_ += "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    }
    void operator()(const AnswerFailed& failed) {
        *out_ += dialect_error_event(failed.error, Dialect::messages);
    }

  private:
    void begin_block(const AnswerBlock& block) override {
        begin_event("content_block_start", R"("index":)", index_, R"(,"content_block":)");
        switch (block.kind) {
            case Kind::text:
            case Kind::refusal:
                *out_ += R"({"type":"text","text":""})";
                break;
            case Kind::thinking:
                *out_ += R"({"type":"thinking","thinking":"","signature":""})";
                break;
            case Kind::redacted:
                append_json(*out_, R"({"type":"redacted_thinking","data":)", Escaped{block.text},
                            "}");
                break;
            case Kind::call:
                append_json(*out_, R"({"type":"tool_use","id":)",
                            Escaped{call_id(Escaped{block.id}, id_, kCallPrefix, 0, block.call)},
                            R"(,"name":)", Escaped{block.name}, R"(,"input":{}})");
                break;
        }
        end_event("");
    }

    void block_text(const AnswerBlock& block, Escaped text, std::string_view) override {
        if (block.kind == Kind::thinking)
            delta(R"("thinking_delta","thinking":)", text);
        else if (block.kind == Kind::call)
            delta(R"("input_json_delta","partial_json":)", text);
        else
            delta(R"("text_delta","text":)", text);
    }

    void end_block(const AnswerBlock& block) override {
        if (block.kind == Kind::thinking)
            delta(R"("signature_delta","signature":)", Escaped{block.signature});
        begin_event("content_block_stop", R"("index":)", index_++);
        end_event("");
    }

    void empty_text() {
        const AnswerBlock empty;
        begin_block(empty);
        end_block(empty);
    }

    void delta(std::string_view type, Escaped text) {
        begin_event("content_block_delta", R"("index":)", index_, R"(,"delta":{"type":)", type,
                    text);
        end_event("}");
    }

    template <typename... Pieces>
    void begin_event(std::string_view type, const Pieces&... pieces) {
        append_json(*out_, "event: ", type, "\ndata: {\"type\":", Escaped{type}, ",", pieces...);
    }

    void end_event(std::string_view last) { append_json(*out_, last, "}\n\n"); }

    AnswerFrame frame_;
    std::string* out_ = nullptr;
    std::string id_;
    uint32_t index_ = 0;  // of the open block, or the next one
    UsageTold usage_;
    AnswerEnd end_ = AnswerEnd::stop;
    std::string stop_sequence_;
};

void append_input(std::string& out, const AnswerBlock& call) {
    JsonOut json(out);
    write_arguments_object(json, {.input = Escaped{call.text}});
}

void append_block(std::string& out, const AnswerBlock& block, std::string_view answer) {
    switch (block.kind) {
        case Kind::text:
        case Kind::refusal:
            append_json(out, R"({"type":"text","text":)", Escaped{block.text}, "}");
            break;
        case Kind::thinking:
            append_json(out, R"({"type":"thinking","thinking":)", Escaped{block.text},
                        R"(,"signature":)", Escaped{block.signature}, "}");
            break;
        case Kind::redacted:
            append_json(out, R"({"type":"redacted_thinking","data":)", Escaped{block.text}, "}");
            break;
        case Kind::call:
            append_json(out, R"({"type":"tool_use","id":)",
                        Escaped{call_id(Escaped{block.id}, answer, kCallPrefix, 0, block.call)},
                        R"(,"name":)", Escaped{block.name}, R"(,"input":)");
            append_input(out, block);
            out += '}';
            break;
    }
}

std::string whole_message(CollectedAnswer& answer, const AnswerFrame& frame) {
    const std::string id = answer_id(Escaped{answer.id}, frame, kIdPrefix);
    const std::string model = answer_model(Escaped{answer.model}, frame);
    CollectedChoice& choice = answer.choices[0];
    if (choice.blocks.empty()) choice.blocks.push_back({});
    std::string out = "{";
    append_message_head(out, id, model);
    std::string_view separator;
    for (const AnswerBlock& block : choice.blocks) {
        out += std::exchange(separator, ",");
        append_block(out, block, id);
    }
    out += "],";
    append_end(out, choice.end, choice.stop_sequence);
    out += R"(,"usage":)";
    append_usage(out, answer.usage.value_or(UsageTold()), Dialect::messages);
    return out + '}';
}

class MessagesAnswerWriter final : public AnswerWriter {
  public:
    explicit MessagesAnswerWriter(AnswerFrame frame) : frame_(std::move(frame)), stream_(frame_) {}

    void write(const AnswerEvent& event, std::string& out) override { stream_.write(event, out); }
    void collect(const AnswerEvent& event) override { collected_.add(event); }
    std::string whole() override { return whole_message(collected_, frame_); }

  private:
    AnswerFrame frame_;
    MessagesStream stream_;
    CollectedAnswer collected_;
};

}  // namespace

std::unique_ptr<AnswerWriter> make_messages_answer_writer(AnswerFrame frame) {
    return std::make_unique<MessagesAnswerWriter>(std::move(frame));
}

}  // namespace brigada
