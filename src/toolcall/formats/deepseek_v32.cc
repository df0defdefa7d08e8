// DeepSeek V3.2 and V4: a section of calls, with parameters between tags that say whether a value
// is text or JSON. The section is called function_calls in V3.2 and tool_calls in V4.
//
//     <｜DSML｜function_calls>
//     <｜DSML｜invoke name="get_weather">
//     <｜DSML｜parameter name="city" string="true">Madrid</｜DSML｜parameter>
//     <｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>
//     </｜DSML｜invoke>
//     </｜DSML｜function_calls>
#include "toolcall/tagged_call.h"
#include "toolcall/tool_format.h"

namespace brigada {

namespace {

constexpr TaggedCallLayout layout(std::string_view section, std::string_view section_end) {
    return {.section = section,
            .call = "<｜DSML｜invoke name=\"",
            .name_end = "\">",
            .key = "<｜DSML｜parameter name=\"",
            .key_end = "\"",
            .value = " string=\"true\">",
            .value_end = "</｜DSML｜parameter>",
            .json_value = " string=\"false\">",
            .call_end = "</｜DSML｜invoke>",
            .section_end = section_end};
}

constexpr TaggedCallLayout kOfV32 = layout("<｜DSML｜function_calls>", "</｜DSML｜function_calls>");
constexpr TaggedCallLayout kOfV4 = layout("<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>");

constexpr CallShape shape(std::string_view section, std::string_view close) {
    return {.opening = section,
            .first = "\n<｜DSML｜invoke name=\"",
            .before_arguments = "\">",
            .end = "\n</｜DSML｜invoke>",
            .between = "\n<｜DSML｜invoke name=\"",
            .close = close,
            .arguments = CallShape::Arguments::tagged,
            .tags = {.key = kOfV32.key,
                     .key_end = kOfV32.key_end,
                     .text = kOfV32.value,
                     .json = kOfV32.json_value,
                     .end = kOfV32.value_end}};
}

/// Sees by the section's name which of the two it is.
class DsmlReader : public CallReader {
  public:
    Reading read(Unread& in, CallWriter& out) override {
        if (!reader_) {
            const bool is_v4 = in.text().starts_with(kOfV4.section);
            reader_ = std::make_unique<TaggedCallReader>(is_v4 ? kOfV4 : kOfV32);
        }
        return reader_->read(in, out);
    }

  private:
    std::unique_ptr<CallReader> reader_;
};

}  // namespace

ToolFormat deepseek_v32_format() {
    return {
        .name = "deepseek_v32",
        .other_names = {"deepseek_v4"},
        .template_marks = {"｜DSML｜"},
        .openings = {kOfV32.section, kOfV4.section},
        .make_reader = [] -> std::unique_ptr<CallReader> { return std::make_unique<DsmlReader>(); },
        .controls = {"｜DSML｜"},
        .shapes = {shape(kOfV32.section, "\n</｜DSML｜function_calls>"),
                   shape(kOfV4.section, "\n</｜DSML｜tool_calls>")}};
}

}  // namespace brigada
