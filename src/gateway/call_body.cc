#include "gateway/call_body.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "base/json.h"
#include "dialect/volatile_block.h"
#include "gateway/nesting.h"
#include "gateway/raw_json.h"
#include "gateway/short_body.h"
#include "net/http.h"

namespace brigada {

namespace {

using simdjson::ondemand::json_type;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

constexpr size_t kMostCacheBytes = 4'096;

static_assert(kBodyPadding >= simdjson::SIMDJSON_PADDING);

/// One body on its way through simdjson; every step says what was wrong with which field.
class Reader {
  public:
    Reader(std::string_view body, Dialect dialect) : body_(body), text_(body), dialect_(dialect) {}
    /// What is known stands in the body, but not in `rest`, which is all that is read.
    Reader(std::string_view body, Dialect dialect, const KnownParts& known, const ShortBody& rest)
        : body_(body), text_(rest.text()), dialect_(dialect), known_(&known), rest_(&rest) {}

    Result<CallBody> read() {
        thread_local simdjson::ondemand::parser parser;  // keeps its buffers for the next body
        object top;
        const simdjson::padded_string_view padded(text_, text_.size() + kBodyPadding);
        if (auto error = parser.iterate(padded).get(document_)) return not_json(error);
        if (auto error = document_.get_object().get(top)) return not_json(error);
        TRY(read_fields(top));
        const char* more = nullptr;
        if (!document_.current_location().get(more)) return not_json(simdjson::TRAILING_CONTENT);
        if (out_.model.empty())
            return Error{Code::invalid_argument, "model: must name a model; it is missing"};
        if (out_.stream && must_ask_for_usage(dialect_) && !usage_is_asked_) ask_for_usage();
        return std::move(out_);
    }

  private:
    static Error not_json(simdjson::error_code error) {
        return {Code::invalid_argument,
                concat("the body is not a JSON object: ", simdjson::error_message(error))};
    }

    /// Where in the body it stands that simdjson sees at `at`.
    size_t offset(const char* at) const {
        const auto in_text = static_cast<size_t>(at - text_.data());
        return rest_ ? rest_->in_body(in_text) : in_text;
    }
    size_t offset(std::string_view token) const { return offset(token.data()); }
    std::string_view in_body(std::string_view token) const {
        if (token.empty()) return token;
        const size_t begin = offset(token);
        return body_.substr(begin, offset(token.data() + token.size()) - begin);
    }

    Result<void> read_fields(object& top) {
        for (auto field : top) {
            simdjson::ondemand::raw_json_string raw_key;
            std::string_view key;
            value found;
            if (auto error = field.key().get(raw_key)) return not_json(error);
            if (auto error = field.unescaped_key().get(key)) return not_json(error);
            if (auto error = field.value().get(found)) return not_json(error);
            TRY(check_nesting(key, found));
            const size_t begin = offset(raw_key.raw() - 1);  // the quote before the key
            if (key == "cache")
                TRY(read_cache(begin, found));
            else if (key == "previous_response_id" && dialect_ == Dialect::responses)
                TRY(read_previous(begin, found));
            else
                TRY(read_field(key, found));
        }
        return {};
    }

    static Result<void> check_nesting(std::string_view key, const value& found) {
        const int levels = levels_of(found) + 1;
        if (levels <= kJsonMaxDepth) return {};
        return Error{Code::invalid_argument,
                     concat(key.substr(0, 60), ": makes the body nested ", levels,
                            " levels deep; at most ", kJsonMaxDepth, " are passed on")};
    }

    Result<void> read_previous(size_t begin, value& found) {
        const std::string_view token = raw_json(found);
        TRY(read_text("previous_response_id", found, out_.previous_response));
        out_.previous_cut = field_cut(begin, offset(token) + token.size());
        return {};
    }

    Result<void> read_cache(size_t begin, value& found) {
        const std::string_view text = raw_json(found);
        if (text.size() > kMostCacheBytes)
            return Error{Code::too_large, concat("cache: is over ", kMostCacheBytes, " bytes")};
        TRY(const Json controls, parse_json(text, "cache"));
        TRY(out_.cache, read_cache_controls(controls, "cache"));
        out_.cache_cut = field_cut(begin, offset(text) + text.size());
        return {};
    }

    /// The field between `begin` and `end`, with one of the commas beside it. What follows has not
    /// been read yet, and may be nothing.
    Splice field_cut(size_t begin, size_t end) const {
        const size_t next = body_.find_first_not_of(kJsonBlanks, end);
        if (is_comma(next)) return {.at = begin, .size = next + 1 - begin};
        const size_t before = body_.find_last_not_of(kJsonBlanks, begin - 1);
        if (is_comma(before)) begin = before;
        return {.at = begin, .size = end - begin};
    }

    bool is_comma(size_t at) const { return at < body_.size() && body_[at] == ','; }

    Result<void> read_field(std::string_view key, value& found) {
        if (key == "model") return read_model(found);
        if (key == "stream") return read_bool("stream", found, out_.stream);
        if (key == "stream_options") return read_stream_options(found);
        if (key == "max_tokens" || key == "max_completion_tokens" || key == "max_output_tokens")
            return read_max_output(std::string(key), found);
        if (key == "user") return read_text("user", found, out_.end_user);
        if (key == "cache_salt") return read_cache_salt(found);
        if (key == "prompt_cache_key") return read_text("prompt_cache_key", found, out_.session);
        if (key == "metadata") return read_metadata(found);
        if (key == "store" && dialect_ == Dialect::responses)
            return read_bool("store", found, out_.is_stored);
        for (size_t i = 0; i < kPromptFields.size(); ++i)
            if (key == kPromptFields[i]) return read_prompt(i, found);
        for (size_t i = 0; i < kTemplateFields.size(); ++i)
            if (key == kTemplateFields[i]) out_.rendering[i] = in_body(raw_json(found));
        return {};
    }

    Result<void> read_prompt(size_t field, value& found) {
        json_type type{};
        if (auto error = found.type().get(type)) return not_json(error);
        const bool may_be_list = field == kMessagesField || field == kInputField;
        if (may_be_list && type == json_type::array) return read_list(field, found);
        out_.prompt[field] = in_body(raw_json(found));
        if (field == out_.list.field) out_.list = {};
        if (field == kSystemField && is_anthropic(dialect_)) steady_system();
        return {};
    }

    /// Of fields that come twice the last one counts.
    Result<void> read_list(size_t field, value& found) {
        simdjson::ondemand::array list;
        const size_t at = offset(found.raw_json_token());
        out_.list = {.field = field, .at = at};
        if (known_ && known_->list.at == at) out_.list.messages = known_->list.messages;
        if (auto error = found.get_array().get(list)) return not_json(error);
        for (auto item : list) {
            value message;
            if (auto error = item.get(message)) return not_json(error);
            const std::string_view raw = raw_json(message);
            if (raw.empty()) return not_json(simdjson::INCOMPLETE_ARRAY_OR_OBJECT);
            const size_t size = raw.find_last_not_of(kJsonBlanks) + 1;
            out_.list.messages.push_back({.at = offset(raw), .size = size});
        }
        const char* end = nullptr;  // with the blanks behind it
        if (auto error = document_.current_location().get(end)) return not_json(error);
        out_.prompt[field] = body_.substr(at, offset(end) - at);
        return {};
    }

    Result<void> read_cache_salt(value& found) {
        const std::string_view text = raw_json(found);
        if (out_.salt_value)
            return Error{Code::invalid_argument, "cache_salt: must stand once; it stands twice"};
        out_.salt_value = {.at = offset(text), .size = text.size()};
        return read_text("cache_salt", found, out_.cache_salt);
    }

    void steady_system() {
        auto own = system_without_volatile_lines(out_.prompt[kSystemField]);
        if (!own) return;
        own->reserve(own->size() + kBodyPadding);
        out_.own_system = std::make_shared<const std::string>(*std::move(own));
        out_.prompt[kSystemField] = *out_.own_system;
    }

    Result<void> read_model(value& found) {
        const std::string_view token = found.raw_json_token();
        TRY(read_text("model", found, out_.model));
        const size_t last = token.rfind('"');
        if (last == 0 || last == token.npos)
            return Error{Code::invalid_argument, "model: must be text"};
        out_.model_value = {.at = offset(token), .size = last + 1};
        return {};
    }

    static Result<void> wrong(std::string_view name, std::string_view expected, value& found) {
        return Error{Code::invalid_argument,
                     concat(name, ": must be ", expected, "; got ",
                            std::string(found.raw_json_token()).substr(0, 60))};
    }

    static Result<bool> is_null(value& found) {
        bool null = false;  // the whole word, which its type() does not look at
        if (auto error = found.is_null().get(null)) return not_json(error);
        return null;
    }

    static Result<void> read_text(std::string_view name, value& found, std::string& to) {
        TRY(const bool null, is_null(found));
        if (null) return {};
        std::string_view text;
        if (found.get_string().get(text)) return wrong(name, "text", found);
        to = text;
        return {};
    }

    static Result<void> read_bool(std::string_view name, value& found, bool& to) {
        TRY(const bool null, is_null(found));
        if (null) return {};
        if (found.get_bool().get(to)) return wrong(name, "true or false", found);
        return {};
    }

    Result<void> read_max_output(const std::string& name, value& found) {
        TRY(const bool null, is_null(found));
        if (null) return {};
        int64_t count = 0;
        if (found.get_int64().get(count) || count < 0)
            return wrong(name, "a whole number of tokens", found);
        out_.max_output = count;
        return {};
    }

    Result<void> read_stream_options(value& found) {
        const std::string_view token = found.raw_json_token();
        TRY(const bool null, is_null(found));
        if (null) {
            usage_at_ = {.at = offset(token), .size = 4, .text = R"({"include_usage":true})"};
            return {};
        }
        object options;
        if (found.get_object().get(options)) return wrong("stream_options", "an object", found);
        bool empty = true;
        for (auto field : options) {
            std::string_view key;
            value inner;
            if (auto error = field.unescaped_key().get(key)) return not_json(error);
            if (auto error = field.value().get(inner)) return not_json(error);
            empty = false;
            if (key == "include_usage") TRY(read_include_usage(inner));
        }
        if (!usage_is_asked_ && !usage_at_)
            usage_at_ = {.at = offset(token) + 1,
                         .text = concat(R"("include_usage":true)", empty ? "" : ",")};
        return {};
    }

    Result<void> read_include_usage(value& found) {
        std::string_view token = found.raw_json_token();
        TRY(read_bool("stream_options.include_usage", found, usage_is_asked_));
        while (!token.empty() && token.back() <= ' ')
            token.remove_suffix(1);
        if (!usage_is_asked_)
            usage_at_ = {.at = offset(token), .size = token.size(), .text = "true"};
        return {};
    }

    void ask_for_usage() {
        if (!usage_at_)
            usage_at_ = {.at = body_.find('{') + 1,
                         .text = R"("stream_options":{"include_usage":true},)"};
        out_.usage_request = std::move(usage_at_);
    }

    Result<void> read_metadata(value& found) {
        object metadata;
        if (found.get_object().get(metadata)) return {};  // what else it may be is the upstream's
        for (auto field : metadata) {
            std::string_view key;
            value inner;
            if (auto error = field.unescaped_key().get(key)) return not_json(error);
            if (auto error = field.value().get(inner)) return not_json(error);
            if (key == "user_id" && out_.end_user.empty())
                keep_text(inner, out_.end_user);
            else if (key == "session_id" && out_.session.empty())
                keep_text(inner, out_.session);
            else if (key == "tags")
                keep_tags(inner);
        }
        return {};
    }

    static void keep_text(value& found, std::string& to) {
        std::string_view text;
        if (!found.get_string().get(text)) to = text;
    }

    void keep_tags(value& found) {
        simdjson::ondemand::array tags;
        if (found.get_array().get(tags)) return;
        for (auto tag : tags) {
            std::string_view text;
            if (!tag.get_string().get(text)) out_.tags.emplace_back(text);
        }
    }

    std::string_view body_;
    std::string_view text_;
    Dialect dialect_;
    const KnownParts* known_ = nullptr;
    const ShortBody* rest_ = nullptr;
    simdjson::ondemand::document document_;
    CallBody out_;
    bool usage_is_asked_ = false;
    std::optional<Splice> usage_at_;
};

}  // namespace

void put_in_order(std::vector<Splice>& splices) {
    std::ranges::sort(splices, {}, [](const Splice& s) { return std::pair(s.at, s.size); });
}

std::vector<std::string_view> spliced(std::string_view body, const std::vector<Splice>& splices) {
    std::vector<std::string_view> out;
    size_t from = 0;
    for (const Splice& splice : splices) {
        out.push_back(body.substr(from, splice.at - from));
        out.push_back(splice.text);
        from = splice.at + splice.size;
    }
    out.push_back(body.substr(from));
    return out;
}

Result<CallBody> read_call_body(std::string_view body, Dialect dialect) {
    return Reader(body, dialect).read();
}

Result<CallBody> read_call_body_but(const KnownParts& known, std::string_view body,
                                    Dialect dialect) {
    thread_local ShortBody rest;
    if (!rest.make(known, body))
        return Error{Code::invalid_argument, "the list of messages does not go on"};
    TRY(CallBody out, Reader(body, dialect, known, rest).read());
    const std::string_view tools = out.prompt[kToolsField];
    const bool has_tools = known.tools.size == 0 || tools.data() == body.data() + known.tools.at;
    if (out.list.at != known.list.at || !has_tools)
        return Error{Code::invalid_argument, "what is known stands elsewhere"};
    return out;
}

}  // namespace brigada
