// Answers of OpenAI's Responses. The deltas of an item count; where an upstream sends none, its
// finished item does.
#include <map>

#include "dialect/answer_end.h"
#include "dialect/answer_usage.h"
#include "dialect/redacted_mark.h"
#include "dialect/sliced_answer_reader.h"

namespace brigada {

namespace {

struct Item {
    bool told = false;  // some of its text
    bool finished = false;
    std::optional<uint32_t> call = {};  // of a call that began
    std::optional<int64_t> summary_index = {};
};

class ResponsesAnswerReader final : public SlicedAnswerReader {
  protected:
    void read_event(SliceObject top, const AnswerSink& sink) override {
        const std::string_view type = top.text("type").raw;
        if (type == "response.output_text.delta") {
            const RawJson logprobs = top.raw_array("logprobs");
            tell(top, sink, [&](Item&, Escaped text) { return TextDelta{0, text, logprobs}; });
        } else if (type == "response.function_call_arguments.delta") {
            read_arguments(top, sink);
        } else if (type == "response.reasoning_summary_text.delta" ||
                   type == "response.reasoning_text.delta") {
            read_thinking(top, sink);
        } else if (type == "response.custom_tool_call_input.delta") {
            read_input(top, sink);
        } else if (type == "response.refusal.delta") {
            refused_ = true;
            tell(top, sink, [](Item&, Escaped text) { return RefusalDelta{0, text}; });
        } else if (type == "response.output_item.added") {
            last_ = static_cast<int64_t>(items_.size());
            Item& item = item_of(top, sink);
            if (SliceObject said = top.object("item")) begin_call(item, said, sink);
        } else if (type == "response.output_item.done") {
            Item& item = item_of(top, sink);
            if (SliceObject said = top.object("item")) finish_item(item, said, sink);
        } else if (type == "error") {
            fail(read_dialect_error(0, top), sink);
        } else if (SliceObject response = top.object("response")) {
            read_state(type, response, sink);
        }
    }

    bool read_whole(SliceObject top, const AnswerSink& sink) override {
        const std::string_view status = top.text("status").raw;
        if (top.text("object").raw != "response") return false;
        begin_with(top, sink);
        if (status == "failed" || status == "cancelled")
            fail(read_dialect_error(0, top), sink);
        else
            finish(top, sink);
        return true;
    }

  private:
    void read_state(std::string_view type, SliceObject& response, const AnswerSink& sink) {
        begin_with(response, sink);
        if (type == "response.completed" || type == "response.incomplete")
            finish(response, sink);
        else if (type == "response.failed" || type == "response.cancelled")
            fail(read_dialect_error(0, response), sink);
    }

    void begin_with(SliceObject& response, const AnswerSink& sink) {
        if (began()) return;
        const Escaped id = response.text("id"), model = response.text("model");
        begin(
            {.id = id, .model = model, .created_unix = response.integer("created_at").value_or(0)},
            sink);
    }

    /// An event that does not say which item it is about is about the last one.
    Item& item_of(SliceObject& top, const AnswerSink& sink) {
        begin({}, sink);
        last_ = top.integer("output_index").value_or(last_);
        return items_[last_];
    }

    template <typename Make>
    void tell(SliceObject& top, const AnswerSink& sink, Make make) {
        Item& item = item_of(top, sink);
        const Escaped text = top.text("delta");
        if (text.empty()) return;
        item.told = true;
        sink(make(item, text));
    }

    /// Paragraphs of a summary come as parts of their own.
    void read_thinking(SliceObject& top, const AnswerSink& sink) {
        const int64_t index = top.integer("summary_index").value_or(0);
        tell(top, sink, [&](Item& item, Escaped text) {
            if (item.summary_index && *item.summary_index != index)
                sink(ThinkingDelta{0, kParagraph});
            item.summary_index = index;
            return ThinkingDelta{0, text};
        });
    }

    void read_arguments(SliceObject& top, const AnswerSink& sink) {
        if (!item_of(top, sink).call)
            return;  // without a name there is no call: its finished item counts
        tell(top, sink,
             [](Item& item, Escaped text) { return ToolArgumentsDelta{0, *item.call, text}; });
    }

    /// Free text is, for the other dialects, the one argument `input`.
    void read_input(SliceObject& top, const AnswerSink& sink) {
        Item& item = item_of(top, sink);
        const Escaped text = top.text("delta");
        if (!item.call || text.empty()) return;
        std::string argument(std::exchange(item.told, true) ? "" : kInputBegins);
        append_escaped(argument, text.raw);  // JSON inside a JSON string
        sink(ToolArgumentsDelta{0, *item.call, Escaped{argument}});
    }

    void finish_input(Item& item, SliceObject& said, const AnswerSink& sink) {
        std::string argument;
        if (!item.told) {
            argument = kInputBegins;
            append_escaped(argument, said.text("input").raw);
        }
        argument += kInputEnds;
        sink(ToolArgumentsDelta{0, *item.call, Escaped{argument}});
    }

    void begin_call(Item& item, SliceObject& said, const AnswerSink& sink) {
        const std::string_view type = said.text("type").raw;
        if (item.call || (type != "function_call" && type != "custom_tool_call")) return;
        item.call = calls_++;
        Escaped id = said.text("call_id");
        if (id.empty()) id = said.text("id");
        sink(ToolCallBegan{0, *item.call, id, said.text("name")});
    }

    void finish_item(Item& item, SliceObject& said, const AnswerSink& sink) {
        const std::string_view type = said.text("type").raw;
        begin_call(item, said, sink);
        if (std::exchange(item.finished, true)) return;
        if (type == "reasoning") return finish_thinking(item, said, sink);
        if (type == "custom_tool_call") return finish_input(item, said, sink);
        if (item.told) return;
        if (type == "function_call") {
            const Escaped arguments = said.text("arguments");
            if (!arguments.empty()) sink(ToolArgumentsDelta{0, *item.call, arguments});
        } else if (type == "message") {
            said.each("content", [&](SliceObject part) { tell_part(part, sink); });
        }
    }

    void tell_part(SliceObject& part, const AnswerSink& sink) {
        const Escaped text = part.text("text"), refusal = part.text("refusal");
        if (!text.empty()) sink(TextDelta{0, text, part.raw_array("logprobs")});
        if (refusal.empty()) return;
        refused_ = true;
        sink(RefusalDelta{0, refusal});
    }

    void finish_thinking(Item& item, SliceObject& said, const AnswerSink& sink) {
        for (std::string_view list : {"summary", "content"}) {
            if (item.told) break;
            said.each(list, [&](SliceObject part) {
                const Escaped text = part.text("text");
                if (text.empty()) return;
                if (std::exchange(item.told, true)) sink(ThinkingDelta{0, kParagraph});
                sink(ThinkingDelta{0, text});
            });
        }
        const Escaped sealed = said.text("encrypted_content");
        if (sealed.raw.starts_with(kRedactedMark))
            sink(RedactedThinking{0, Escaped{sealed.raw.substr(kRedactedMark.size())}});
        else if (!sealed.empty())
            sink(ThinkingSigned{0, sealed});
    }

    /// Items that no event finished are told now.
    void finish(SliceObject& response, const AnswerSink& sink) {
        int64_t index = 0;
        response.each("output",
                      [&](SliceObject said) { finish_item(items_[index++], said, sink); });
        const AnswerEnd end = end_of(response);
        UsageTold told;
        if (SliceObject usage = response.object("usage")) {
            merge_usage(usage, Dialect::responses, told);
            sink(told);
        }
        sink(ChoiceEnded{0, end, {}});
        this->end(sink);
    }

    AnswerEnd end_of(SliceObject& response) {
        if (SliceObject details = response.object("incomplete_details"))
            if (const Escaped reason = details.text("reason"); !reason.empty())
                return answer_end_of(reason.raw);
        if (response.text("status").raw == "incomplete") return AnswerEnd::length;
        if (calls_ > 0) return AnswerEnd::tool_calls;
        return refused_ ? AnswerEnd::refusal : AnswerEnd::stop;
    }

    static constexpr Escaped kParagraph{R"(\n\n)"};
    static constexpr std::string_view kInputBegins = R"({\"input\":\")", kInputEnds = R"(\"})";

    std::map<int64_t, Item> items_;
    int64_t last_ = 0;
    uint32_t calls_ = 0;
    bool refused_ = false;
};

}  // namespace

std::unique_ptr<AnswerReader> make_responses_answer_reader() {
    return std::make_unique<ResponsesAnswerReader>();
}

}  // namespace brigada
