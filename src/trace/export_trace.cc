#include "trace/export_trace.h"

#include <algorithm>
#include <ranges>

#include "base/concat.h"
#include "base/joined.h"
#include "trace/exporter.h"

namespace brigada {

namespace {

struct Name {
    ExportFormat format;
    std::string_view name;
};

constexpr Name kNames[] = {
    {ExportFormat::brigada, "brigada"},
    {ExportFormat::mooncake, "mooncake"},
    {ExportFormat::kv_cache_tester, "kv-cache-tester"},
    {ExportFormat::aiperf, "aiperf"},
};

}  // namespace

Result<ExportFormat> export_format(std::string_view name) {
    const auto found = std::ranges::find(kNames, name, &Name::name);
    if (found != std::end(kNames)) return found->format;
    return Error{Code::invalid_argument,
                 concat("traces can't be written as '", name, "', but as ",
                        joined(kNames | std::views::transform(&Name::name)))};
}

Result<void> export_trace(const Trace& trace, ExportFormat format, const TextSink& sink) {
    switch (format) {
        case ExportFormat::brigada:
            export_brigada(trace, sink);
            return {};
        case ExportFormat::mooncake:
            return export_mooncake(trace, sink);
        case ExportFormat::kv_cache_tester:
            export_kv_cache_tester(trace, sink);
            return {};
        case ExportFormat::aiperf:
            export_aiperf(trace, sink);
            return {};
    }
    return {};
}

}  // namespace brigada
