// Answers of Chat Completions, as OpenAI's, vLLM's, SGLang's and llama.cpp's servers and those that
// imitate them send them: what they leave out, repeat or name otherwise is made up for here.
#include <map>
#include <vector>

#include "base/concat.h"
#include "dialect/answer_block.h"
#include "dialect/answer_end.h"
#include "dialect/answer_usage.h"
#include "dialect/sliced_answer_reader.h"

namespace brigada {

namespace {

struct Call {
    std::optional<int64_t> index = {};  // as the upstream counts
    std::string id = {}, name = {};     // escaped
    std::string held = {};              // arguments that came before the name
    bool began = false;
};

struct Choice {
    std::vector<Call> calls = {};
    std::optional<AnswerEnd> end = {};
    std::string stop_sequence = {};
    bool refused = false;
    std::string held_logprobs = {};  // of tokens whose text is still to come
};

class ChatAnswerReader final : public SlicedAnswerReader {
  protected:
    void read_event(SliceObject top, const AnswerSink& sink) override {
        begin_with(top, sink);
        if (!read_choices(top, "delta", sink) && read_error(top, sink)) return;
        read_usage(top, sink);
    }

    bool read_whole(SliceObject top, const AnswerSink& sink) override {
        begin_with(top, sink);
        if (!read_choices(top, "message", sink)) return read_error(top, sink);
        read_usage(top, sink);
        finish(sink);
        return true;
    }

    /// The end of a choice is told here and not when it is first said: engines say it twice, or go
    /// on with a call after it.
    void read_done(const AnswerSink& sink) override { finish(sink); }

  private:
    /// Azure's first event has neither id nor model: only filters.
    void begin_with(SliceObject& top, const AnswerSink& sink) {
        if (began()) return;
        const Escaped id = top.text("id"), model = top.text("model");
        if (id.empty() && model.empty()) return;
        begin({.id = id, .model = model, .created_unix = top.integer("created").value_or(0)}, sink);
    }

    /// Whether there was one, none of which reported an error.
    bool read_choices(SliceObject& top, std::string_view part, const AnswerSink& sink) {
        bool any = false, failed = false;
        top.each("choices", [&](SliceObject found) {
            any = true;
            const int64_t index = found.integer("index").value_or(0);
            const auto number = static_cast<uint32_t>(std::max<int64_t>(index, 0));
            begin({}, sink);
            if (SliceObject delta = found.object(part))
                read_delta(number, choices_[number], delta,
                           found.object("logprobs").raw_array("content"), sink);
            failed |= read_end(choices_[number], found);
            if (SliceObject usage = found.object("usage")) tell_usage(usage, sink);
        });
        return any && !failed;
    }

    void read_delta(uint32_t number, Choice& choice, SliceObject& delta, RawJson logprobs,
                    const AnswerSink& sink) {
        Escaped thinking = delta.text("reasoning_content");
        if (thinking.empty()) thinking = delta.text("reasoning");
        if (!thinking.empty()) sink(ThinkingDelta{number, thinking});
        if (const Escaped text = delta.text("content"); !text.empty())
            tell_text(number, choice, text, logprobs, sink);
        else
            delta.each("content", [&](SliceObject part) {
                if (const Escaped of_part = part.text("text"); !of_part.empty())
                    sink(TextDelta{number, of_part});
            });
        if (const Escaped refusal = delta.text("refusal"); !refusal.empty()) {
            choice.refused = true;
            sink(RefusalDelta{number, refusal});
        }
        bool calls = false;
        delta.each("tool_calls", [&](SliceObject call) {
            calls = true;
            read_call(number, choice, call, sink);
        });
        if (calls || !thinking.empty())
            choice.held_logprobs.clear();
        else if (delta.text("content").empty())
            append_elements(choice.held_logprobs, elements_of(logprobs));
    }

    /// Engines that wait with a text tell the logprobs of its tokens as they come.
    static void tell_text(uint32_t number, Choice& choice, Escaped text, RawJson logprobs,
                          const AnswerSink& sink) {
        if (choice.held_logprobs.empty()) return sink(TextDelta{number, text, logprobs});
        append_elements(choice.held_logprobs, elements_of(logprobs));
        const std::string list = concat("[", std::exchange(choice.held_logprobs, {}), "]");
        sink(TextDelta{number, text, {list}});
    }

    void read_call(uint32_t number, Choice& choice, SliceObject& said, const AnswerSink& sink) {
        const std::optional<int64_t> index = said.integer("index");
        const Escaped id = said.text("id");
        SliceObject function = said.object("function");
        const Escaped name = function.text("name");
        const auto at = static_cast<uint32_t>(call_of(choice, index, id, name));
        Call& call = choice.calls[at];
        if (call.id.empty()) call.id = id.raw;
        if (call.name.empty()) call.name = name.raw;
        if (!call.name.empty()) tell_call(number, at, call, sink);
        const Escaped arguments = function.text("arguments");
        if (arguments.empty()) return;
        if (call.began)
            sink(ToolArgumentsDelta{number, at, arguments});
        else
            call.held += arguments.raw;
    }

    /// Which call a piece belongs to. Engines leave the index out, or give every call index 0 and
    /// its own id; others make up a new id for each piece, which then has no name.
    static size_t call_of(Choice& choice, std::optional<int64_t> index, Escaped id, Escaped name) {
        std::vector<Call>& calls = choice.calls;
        const auto begin_call = [&] {
            calls.push_back({.index = index});
            return calls.size() - 1;
        };
        const bool may_begin = !name.empty() || !id.empty();
        for (size_t i = calls.size(); i-- > 0;) {
            const bool same_id = !id.empty() && calls[i].id == id.raw;
            if (index ? calls[i].index != index : !same_id) continue;
            const bool another = index && !id.empty() && !name.empty() && !same_id &&
                                 !calls[i].id.empty() && !calls[i].name.empty();
            return another ? begin_call() : i;
        }
        return index || may_begin || calls.empty() ? begin_call() : calls.size() - 1;
    }

    static void tell_call(uint32_t number, uint32_t at, Call& call, const AnswerSink& sink) {
        if (std::exchange(call.began, true)) return;
        sink(ToolCallBegan{number, at, Escaped{call.id}, Escaped{call.name}});
        if (!call.held.empty()) sink(ToolArgumentsDelta{number, at, Escaped{call.held}});
    }

    /// Whether it ends with an error.
    static bool read_end(Choice& choice, SliceObject& said) {
        const Escaped reason = said.text("finish_reason");
        if (reason.empty()) return false;
        choice.end = answer_end_of(reason.raw);
        Escaped stop = said.text("stop_reason");             // vLLM
        if (stop.empty()) stop = said.text("matched_stop");  // SGLang
        if (choice.end == AnswerEnd::stop && !stop.empty()) {
            choice.end = AnswerEnd::stop_sequence;
            choice.stop_sequence = stop.raw;
        }
        return reason.raw == "error";
    }

    bool read_error(SliceObject& top, const AnswerSink& sink) {
        const bool has_error =
            top.object("error") || !top.text("error").empty() || top.text("object").raw == "error";
        if (has_error) fail(read_dialect_error(0, top), sink);
        return has_error;
    }

    void read_usage(SliceObject& top, const AnswerSink& sink) {
        if (SliceObject usage = top.object("usage")) tell_usage(usage, sink);
    }

    void tell_usage(SliceObject usage, const AnswerSink& sink) {
        UsageTold told;
        merge_usage(usage, Dialect::chat, told);
        sink(told);
    }

    void finish(const AnswerSink& sink) {
        begin({}, sink);
        if (choices_.empty()) choices_[0] = {};
        for (auto& [number, choice] : choices_)
            finish_choice(number, choice, sink);
        end(sink);
    }

    static void finish_choice(uint32_t number, Choice& choice, const AnswerSink& sink) {
        for (uint32_t at = 0; at < choice.calls.size(); ++at)
            tell_call(number, at, choice.calls[at], sink);
        AnswerEnd end = end_with_calls(choice.end.value_or(AnswerEnd::stop), !choice.calls.empty());
        if (end == AnswerEnd::stop && choice.refused) end = AnswerEnd::refusal;
        sink(ChoiceEnded{number, end, Escaped{choice.stop_sequence}});
    }

    std::map<uint32_t, Choice> choices_;
};

}  // namespace

std::unique_ptr<AnswerReader> make_chat_answer_reader() {
    return std::make_unique<ChatAnswerReader>();
}

}  // namespace brigada
