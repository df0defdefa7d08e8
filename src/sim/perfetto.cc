#include "sim/perfetto.h"

#include <fmt/format.h>

#include <iterator>

namespace brigada {

namespace {

double microseconds(Instant at) {
    return static_cast<double>(at.ns()) / 1e3;
}

}  // namespace

void PerfettoTrace::begin_event() {
    text_ += has_events_ ? ",\n" : "\n";
    has_events_ = true;
}

void PerfettoTrace::computed(const Steps& steps) {
    const StepShape& shape = steps.shape;
    const char* const kind = shape.chunks == 0 ? "decode" : shape.decodes == 0 ? "read" : "mixed";
    begin_event();
    fmt::format_to(std::back_inserter(text_),
                   R"({{"ph":"X","pid":1,"tid":{},"ts":{:.3f},"dur":{:.3f},"name":"{}","args":{{)"
                   R"("steps":{},"decodes":{},"chunks":{},"chunk_tokens":{}}}}})",
                   steps.replica + 1, microseconds(steps.begin),
                   static_cast<double>((steps.end - steps.begin).ns()) / 1e3, kind, steps.steps,
                   shape.decodes, shape.chunks, shape.chunk_tokens);
    begin_event();
    fmt::format_to(
        std::back_inserter(text_),
        R"({{"ph":"C","pid":1,"ts":{:.3f},"name":"KV of replica {}","args":{{"held":{:.4f}}}}})",
        microseconds(steps.end), steps.replica, steps.kv_held);
}

void PerfettoTrace::happened(Instant at, uint32_t replica, std::string_view what) {
    begin_event();
    fmt::format_to(std::back_inserter(text_),
                   R"({{"ph":"i","s":"t","pid":1,"tid":{},"ts":{:.3f},"name":"{}"}})", replica + 1,
                   microseconds(at), what);
    begin_event();
    fmt::format_to(
        std::back_inserter(text_),
        R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":"replica {}"}}}})",
        replica + 1, replica);
}

}  // namespace brigada
