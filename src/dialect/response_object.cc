#include "dialect/response_object.h"

#include <algorithm>

#include "dialect/answer_ids.h"
#include "dialect/json_slices.h"
#include "dialect/json_text.h"
#include "dialect/redacted_mark.h"

namespace brigada {

namespace {

using Kind = AnswerBlock::Kind;

/// The tool that a block calls; null when it is no call, or of no tool that was offered.
const Tool* called_tool(const AnswerBlock& block, const Conversation* asked) {
    if (block.kind != Kind::call || !asked) return nullptr;
    const auto found =
        std::ranges::find_if(asked->tools, [&](const Tool& t) { return t.name.raw == block.name; });
    return found == asked->tools.end() ? nullptr : &*found;
}

bool takes_free_text(const AnswerBlock& block, const Conversation* asked) {
    const Tool* tool = called_tool(block, asked);
    return tool && tool->custom;
}

std::string space_of(const AnswerBlock& block, const Conversation* asked) {
    const Tool* tool = called_tool(block, asked);
    return tool ? std::string(tool->space.raw) : std::string();
}

std::string_view id_prefix(Kind kind, bool is_custom) {
    switch (kind) {
        case Kind::text:
        case Kind::refusal:
            return "msg_";
        case Kind::thinking:
        case Kind::redacted:
            return "rs_";
        case Kind::call:
            break;
    }
    return is_custom ? "ctc_" : "fc_";
}

std::string_view word_of(ResponseItem::Status status) {
    switch (status) {
        case ResponseItem::Status::in_progress:
            return "in_progress";
        case ResponseItem::Status::completed:
            return "completed";
        case ResponseItem::Status::incomplete:
            return "incomplete";
    }
    return "completed";
}

/// The free text in {"input": "..."}; what is no such object is free text itself.
std::string free_text(Escaped arguments) {
    SliceDocument document;
    const Result<SliceObject> object = document.parse(unescaped(arguments));
    const Escaped input = object.ok() ? object->text("input") : Escaped();
    const bool is_wrapped = input.raw.data() != nullptr;
    return std::string(is_wrapped ? input.raw : arguments.raw);
}

void append_tool_choice(std::string& out, const ToolChoice& choice) {
    using Choice = ToolChoice::Kind;
    if (choice.kind == Choice::named)
        append_json(out, R"({"type":"function","name":)", choice.name, "}");
    else
        out += choice.kind == Choice::none       ? R"("none")"
               : choice.kind == Choice::required ? R"("required")"
                                                 : R"("auto")";
}

std::string_view or_null(RawJson value) {
    return value.empty() ? "null" : value.text;
}

std::string or_null(Escaped text) {
    std::string out;
    text.empty() ? append_piece(out, std::string_view("null")) : append_piece(out, text);
    return out;
}

void append_asked(std::string& out, const Conversation& asked) {
    const SamplingWish& sampling = asked.sampling;
    out += R"(,"instructions":null,"max_output_tokens":)";
    if (sampling.max_output)
        append_piece(out, *sampling.max_output);
    else
        out += "null";
    append_json(out, R"(,"parallel_tool_calls":)",
                asked.tool_choice.parallel.value_or(true) ? "true" : "false",
                R"(,"previous_response_id":)", or_null(asked.previous_response_id),
                R"(,"reasoning":{"effort":)", or_null(asked.thinking.effort),
                R"(,"summary":null},"store":)", asked.store.value_or(true) ? "true" : "false",
                R"(,"temperature":)", or_null(sampling.temperature),
                R"(,"text":{"format":{"type":"text"}},"tool_choice":)");
    append_tool_choice(out, asked.tool_choice);
    append_json(out, R"(,"tools":[],"top_p":)", or_null(sampling.top_p),
                R"(,"truncation":"disabled","metadata":{})");
}

}  // namespace

ResponseItem::ResponseItem(const AnswerBlock& block, std::string_view answer, uint32_t output_index,
                           const Conversation* asked)
    : block_(block),
      is_custom_(takes_free_text(block, asked)),
      space_(space_of(block, asked)),
      id_(part_id(answer, id_prefix(block.kind, is_custom_), output_index)),
      call_id_(call_id(Escaped{block.id}, answer, "call_", 0, block.call)) {}

std::string_view ResponseItem::own_name() const {
    std::string_view name = block_.name;
    if (!space_.empty()) name.remove_prefix(space_.size() + kSpaceJoint.size());
    return name;
}

std::string ResponseItem::call_text() const {
    if (is_custom_) return free_text(Escaped{block_.text});
    return std::string(arguments_of(block_).raw);
}

void ResponseItem::append(std::string& out, Status status) const {
    const bool whole = status != Status::in_progress;
    append_json(out, R"({"id":)", Escaped{id_}, R"(,"status":)", Escaped{word_of(status)});
    switch (block_.kind) {
        case Kind::text:
        case Kind::refusal:
            out += R"(,"type":"message","role":"assistant","content":[)";
            if (whole) append_part(out, Escaped{block_.text});
            out += ']';
            break;
        case Kind::thinking:
            out += R"(,"type":"reasoning","summary":[)";
            if (whole && !block_.text.empty()) append_part(out, Escaped{block_.text});
            out += ']';
            if (whole && !block_.signature.empty())
                append_json(out, R"(,"encrypted_content":)", Escaped{block_.signature});
            break;
        case Kind::redacted:
            append_json(out, R"(,"type":"reasoning","summary":[],"encrypted_content":")",
                        kRedactedMark, std::string_view(block_.text), "\"");
            break;
        case Kind::call:
            append_call(out, status);
            break;
    }
    out += '}';
}

void ResponseItem::append_call(std::string& out, Status status) const {
    const std::string text = status == Status::in_progress ? std::string() : call_text();
    append_json(out, R"(,"type":)", Escaped{is_custom_ ? "custom_tool_call" : "function_call"},
                R"(,"call_id":)", Escaped{call_id_}, R"(,"name":)", Escaped{own_name()}, ",",
                Escaped{is_custom_ ? "input" : "arguments"}, ":", Escaped{text});
    if (!space_.empty()) append_json(out, R"(,"namespace":)", Escaped{space_});
}

void ResponseItem::append_part(std::string& out, Escaped text) const {
    if (block_.kind == Kind::refusal)
        append_json(out, R"({"type":"refusal","refusal":)", text, "}");
    else if (block_.kind == Kind::thinking)
        append_json(out, R"({"type":"summary_text","text":)", text, "}");
    else
        append_json(out, R"({"type":"output_text","annotations":[],"logprobs":[)",
                    text.empty() ? std::string_view() : std::string_view(block_.logprobs),
                    R"(],"text":)", text, "}");
}

void append_response(std::string& out, const ResponseState& state, const Conversation* asked) {
    static const Conversation kNothingAsked;
    append_json(out, R"({"id":)", Escaped{state.id}, R"(,"object":"response","created_at":)",
                state.created_unix, R"(,"status":)", Escaped{state.status}, R"(,"error":)",
                state.error.empty() ? std::string_view("null") : std::string_view(state.error),
                R"(,"incomplete_details":)");
    if (state.incomplete_reason.empty())
        out += "null";
    else
        append_json(out, R"({"reason":)", Escaped{state.incomplete_reason}, "}");
    append_json(out, R"(,"model":)", Escaped{state.model}, R"(,"output":[)", state.output, "]");
    append_asked(out, asked ? *asked : kNothingAsked);
    append_json(out, R"(,"usage":)",
                state.usage.empty() ? std::string_view("null") : std::string_view(state.usage),
                "}");
}

}  // namespace brigada
