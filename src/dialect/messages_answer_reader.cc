// Answers of Anthropic's Messages. Blocks of a type nobody here knows (server tools and their
// results) are passed over, deltas and all.
#include <map>

#include "dialect/answer_end.h"
#include "dialect/answer_usage.h"
#include "dialect/sliced_answer_reader.h"

namespace brigada {

namespace {

struct OpenBlock {
    enum class Kind : uint8_t { other, text, thinking, tool };
    Kind kind = Kind::other;
    uint32_t call = 0;
    bool told = false;       // of a call: some arguments
    std::string input = {};  // what a call's block began with, escaped: counts if nothing follows
    std::string signature = {};
};

class MessagesAnswerReader final : public SlicedAnswerReader {
  protected:
    void read_event(SliceObject top, const AnswerSink& sink) override {
        const std::string_view type = top.text("type").raw;
        if (type.starts_with("content_block_")) begin({}, sink);
        if (type == "content_block_delta") {
            const int64_t index = top.integer("index").value_or(0);
            if (SliceObject delta = top.object("delta")) read_delta(blocks_[index], delta, sink);
        } else if (type == "content_block_start") {
            const int64_t index = top.integer("index").value_or(0);
            if (SliceObject block = top.object("content_block")) blocks_[index] = open(block, sink);
        } else if (type == "content_block_stop") {
            close(top.integer("index").value_or(0), sink);
        } else if (type == "message_start") {
            if (SliceObject message = top.object("message")) begin_with(message, sink);
        } else if (type == "message_delta") {
            if (SliceObject delta = top.object("delta")) read_end(delta);
            tell_usage(top, sink);
        } else if (type == "message_stop") {
            finish(sink);
        } else if (type == "error") {
            fail(read_dialect_error(0, top), sink);
        }
    }

    bool read_whole(SliceObject top, const AnswerSink& sink) override {
        const std::string_view type = top.text("type").raw;
        if (type == "error") return fail(read_dialect_error(0, top), sink), true;
        if (type != "message") return false;
        begin_with(top, sink);
        int64_t index = 0;
        top.each("content", [&](SliceObject block) {
            blocks_[index] = open(block, sink);
            close(index++, sink);
        });
        read_end(top);
        tell_usage(top, sink);
        finish(sink);
        return true;
    }

  private:
    void begin_with(SliceObject& message, const AnswerSink& sink) {
        const Escaped id = message.text("id"), model = message.text("model");
        merge_usage(message.object("usage"), Dialect::messages, usage_);
        begin({.id = id, .model = model, .usage = usage_.usage}, sink);
    }

    OpenBlock open(SliceObject& block, const AnswerSink& sink) {
        using Kind = OpenBlock::Kind;
        const std::string_view type = block.text("type").raw;
        OpenBlock out;
        if (type == "text") {
            out.kind = Kind::text;
            if (const Escaped text = block.text("text"); !text.empty()) sink(TextDelta{0, text});
        } else if (type == "thinking") {
            out.kind = Kind::thinking;
            const Escaped text = block.text("thinking");
            if (!text.empty()) sink(ThinkingDelta{0, text});
            out.signature = block.text("signature").raw;
        } else if (type == "redacted_thinking") {
            sink(RedactedThinking{0, block.text("data")});
        } else if (type == "tool_use") {
            out.kind = Kind::tool;
            out.call = calls_++;
            const Escaped id = block.text("id");
            sink(ToolCallBegan{0, out.call, id, block.text("name")});
            append_escaped(out.input, block.raw_object("input").text);
        }
        return out;
    }

    void read_delta(OpenBlock& block, SliceObject& delta, const AnswerSink& sink) {
        using Kind = OpenBlock::Kind;
        const std::string_view type = delta.text("type").raw;
        if (type == "text_delta") {
            if (const Escaped text = delta.text("text"); !text.empty()) sink(TextDelta{0, text});
        } else if (type == "input_json_delta" && block.kind == Kind::tool) {
            const Escaped text = delta.text("partial_json");
            if (text.empty()) return;
            block.told = true;
            sink(ToolArgumentsDelta{0, block.call, text});
        } else if (type == "thinking_delta") {
            const Escaped text = delta.text("thinking");
            if (!text.empty()) sink(ThinkingDelta{0, text});
        } else if (type == "signature_delta") {
            block.signature += delta.text("signature").raw;
        }
    }

    void close(int64_t index, const AnswerSink& sink) {
        const OpenBlock block = std::exchange(blocks_[index], {});
        blocks_.erase(index);
        if (!block.signature.empty()) sink(ThinkingSigned{0, Escaped{block.signature}});
        if (block.kind == OpenBlock::Kind::tool && !block.told && !block.input.empty())
            sink(ToolArgumentsDelta{0, block.call, Escaped{block.input}});
    }

    void read_end(SliceObject& said) {
        if (const Escaped reason = said.text("stop_reason"); !reason.empty())
            end_ = answer_end_of(reason.raw);
        if (const Escaped sequence = said.text("stop_sequence"); !sequence.empty())
            stop_sequence_ = sequence.raw;
    }

    void tell_usage(SliceObject& holder, const AnswerSink& sink) {
        SliceObject usage = holder.object("usage");
        if (!usage) return;
        merge_usage(usage, Dialect::messages, usage_);
        sink(usage_);
    }

    void finish(const AnswerSink& sink) {
        begin({}, sink);
        sink(ChoiceEnded{0, end_with_calls(end_, calls_ > 0), Escaped{stop_sequence_}});
        end(sink);
    }

    std::map<int64_t, OpenBlock> blocks_;
    uint32_t calls_ = 0;
    UsageTold usage_;
    AnswerEnd end_ = AnswerEnd::stop;
    std::string stop_sequence_;  // escaped
};

}  // namespace

std::unique_ptr<AnswerReader> make_messages_answer_reader() {
    return std::make_unique<MessagesAnswerReader>();
}

}  // namespace brigada
