// Mistral: after a control token either an array of objects (until Nemo) or, for each call, a name
// and its arguments (Small 3.2, Devstral, Ministral 3), some with an id between them.
//
//     [TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Madrid"}, "id": "x8Jk2Lq9z"}]
//     [TOOL_CALLS]get_weather[ARGS]{"city": "Madrid"}
//     [TOOL_CALLS]get_weather[CALL_ID]x8Jk2Lq9z[ARGS]{"city": "Madrid"}
#include "toolcall/named_call.h"
#include "toolcall/object_call.h"
#include "toolcall/tool_format.h"

namespace brigada {

namespace {

constexpr std::string_view kOpen = "[TOOL_CALLS]";
constexpr ObjectCallLayout kArray{.list_open = "[", .list_close = "]", .separators = ","};
constexpr NamedCallLayout kNamed{.section = "", .separator = "[ARGS]", .id_separator = "[CALL_ID]"};

/// Sees by the first character which of the two it is.
class MistralReader : public CallReader {
  public:
    Reading read(Unread& in, CallWriter& out) override {
        if (!is_open_) {
            if (const auto stop = unless_taken(in.take(kOpen), kNoOpening)) return *stop;
            is_open_ = true;
        }
        if (!reader_) {
            in.skip_space();
            if (in.empty()) return in.ended() ? Reading::broken(kNoCall) : Reading::wait();
            if (in.text().starts_with('[') || in.text().starts_with('{'))
                reader_ = std::make_unique<ObjectCallReader>(kArray);
            else
                reader_ = std::make_unique<NamedCallReader>(kNamed);
        }
        return reader_->read(in, out);
    }

  private:
    bool is_open_ = false;
    std::unique_ptr<CallReader> reader_;
};

}  // namespace

ToolFormat mistral_format() {
    return {.name = "mistral",
            .template_marks = {kOpen},
            .openings = {kOpen},
            .make_reader = [] -> std::unique_ptr<CallReader> {
                return std::make_unique<MistralReader>();
            },
            .controls = {kOpen, "[ARGS]", "[CALL_ID]"},
            .shapes = {{.opening = kOpen, .before_arguments = "[ARGS]", .id = "[CALL_ID]"},
                       {.opening = kOpen,
                        .first = "\n[\n{\n\"name\":\n\"",
                        .before_arguments = "\",\n\"arguments\":\n",
                        .end = "\n}",
                        .between = ",\n{\n\"name\":\n\"",
                        .close = "\n]",
                        .quoted_name = true}},
            .ids = CallIdStyle::nine};
}

}  // namespace brigada
