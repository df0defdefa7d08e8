#include "trace/import_trace.h"

#include <ranges>

#include "base/concat.h"
#include "base/joined.h"
#include "trace/importer.h"

namespace brigada {

namespace {

constexpr size_t kHead = 64 << 10;  // bytes that tell a format

struct Format {
    TraceFormat format;
    std::string_view name;
    Result<void> (*import)(TraceText&, Import&);
};

constexpr Format kFormats[] = {
    {TraceFormat::brigada, "brigada", import_brigada},
    {TraceFormat::mooncake, "mooncake", import_mooncake},
    {TraceFormat::bailian, "bailian", import_bailian},
    {TraceFormat::kv_cache_tester, "kv-cache-tester", import_kv_cache_tester},
    {TraceFormat::sessions, "sessions", import_sessions},
    {TraceFormat::azure, "azure", import_azure},
    {TraceFormat::burstgpt, "burstgpt", import_burstgpt},
    {TraceFormat::sharegpt, "sharegpt", import_sharegpt},
    {TraceFormat::tracelab, "tracelab", import_tracelab},
    {TraceFormat::otel, "otel", import_otel},
    {TraceFormat::ledger, "ledger", import_ledger},
    {TraceFormat::vllm, "vllm", import_vllm},
    {TraceFormat::aiperf, "aiperf", import_aiperf},
};

/// Words that one format alone has, in the order in which they decide.
struct Sign {
    std::string_view word;
    TraceFormat format;
};

constexpr Sign kJsonSigns[] = {
    {"\"brigada_trace\"", TraceFormat::brigada}, {"\"resourceSpans\"", TraceFormat::otel},
    {"\"resource_spans\"", TraceFormat::otel},   {"\"parent_chat_id\"", TraceFormat::bailian},
    {"\"chat_id\"", TraceFormat::bailian},       {"\"input_tokens_total\"", TraceFormat::tracelab},
    {"\"round_index\"", TraceFormat::tracelab},  {"\"requests\"", TraceFormat::kv_cache_tester},
    {"\"calls\"", TraceFormat::sessions},        {"\"input_length\"", TraceFormat::mooncake},
    {"\"turns\"", TraceFormat::aiperf},          {"\"conversations\"", TraceFormat::sharegpt},
    {"\"messages\"", TraceFormat::sharegpt},
};

constexpr Sign kCsvSigns[] = {
    {"ContextTokens", TraceFormat::azure}, {"Request tokens", TraceFormat::burstgpt},
    {"round_idx", TraceFormat::tracelab},  {"cached_input_tokens", TraceFormat::ledger},
    {"first_token_s", TraceFormat::vllm},
};

const Format& entry_of(TraceFormat format) {
    return *std::ranges::find(kFormats, format, &Format::format);
}

Result<void> import_file(const TraceFile& file, Import& import) {
    TRY(TraceText text, TraceText::open(file.name, file.bytes));
    TraceFormat format = import.options.format.value_or(TraceFormat::brigada);
    if (!import.options.format) {
        TRY(const std::string_view head, text.peek(kHead));
        TRY(format, guess_format(head.substr(0, kHead), file.name));
    }
    import.report.format = format;
    return entry_of(format).import(text, import);
}

std::string names_of(std::span<const TraceFile> files) {
    if (files.size() == 1) return files.front().name;
    return concat(files.front().name, " and ", files.size() - 1, " more");
}

Error nothing_in(const std::string& files, const Imported& report) {
    std::string text = concat(files, ": no calls in it");
    if (report.skipped > 0)
        text += concat("; ", report.skipped, " were wrong, first: ", report.complaints.front());
    if (report.left_out > 0) text += concat("; ", report.left_out, " had no answer");
    return {Code::invalid_argument, std::move(text)};
}

}  // namespace

std::string_view to_string(TraceFormat format) {
    return entry_of(format).name;
}

Result<TraceFormat> trace_format(std::string_view name) {
    const auto found = std::ranges::find(kFormats, name, &Format::name);
    if (found != std::end(kFormats)) return found->format;
    return Error{Code::invalid_argument,
                 concat("no trace format '", name, "'; there are ",
                        joined(kFormats | std::views::transform(&Format::name)))};
}

Result<TraceFormat> guess_format(std::string_view head, std::string_view file) {
    const size_t first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (first == head.npos) return Error{Code::invalid_argument, concat(file, ": empty")};
    const bool is_json = head[first] == '{' || head[first] == '[';
    const std::span<const Sign> signs =
        is_json ? std::span<const Sign>(kJsonSigns) : std::span<const Sign>(kCsvSigns);
    if (!is_json) head = head.substr(0, head.find('\n'));
    for (const Sign& sign : signs)
        if (head.contains(sign.word)) return sign.format;
    return Error{Code::invalid_argument,
                 concat(file,
                        ": none of the trace formats that are known by their content; say "
                        "which it is: ",
                        joined(kFormats | std::views::transform(&Format::name)))};
}

Result<Imported> import_trace(std::span<const TraceFile> files, const ImportOptions& options) {
    if (files.empty()) return Error{Code::invalid_argument, "no trace file"};
    Imported out;
    TraceBuilder builder;
    Import import{builder, options, out};
    for (const TraceFile& file : files)
        TRY(import_file(file, import));
    if (builder.sessions() == 0) return nothing_in(names_of(files), out);
    out.trace = std::move(builder).finish(names_of(files));
    if (out.format == TraceFormat::brigada)
        if (auto right = check(out.trace); !right.ok())
            return std::move(right).error().in(names_of(files));
    return out;
}

}  // namespace brigada
