#include "trace/importer.h"

#include <algorithm>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr size_t kMostComplaints = 5;

constexpr size_t kHead = 64 << 10;  // bytes that tell whether a text is an object a line

/// A list, or a text whose first line isn't JSON yet.
bool is_one_text(std::string_view head) {
    if (head.substr(head.find_first_not_of(" \t\r\n") % (head.size() + 1)).starts_with('['))
        return true;
    const size_t end = head.find('\n');
    return end != head.npos && !parse_json(head.substr(0, end), "").ok();
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t") == std::string_view::npos;
}

}  // namespace

Result<void> Import::take(Result<void> record) {
    if (record.ok() || !options.lenient) return record;
    ++report.skipped;
    if (report.complaints.size() < kMostComplaints)
        report.complaints.push_back(record.error().message);
    return {};
}

Result<void> each_json_line(TraceText& text, Import& import,
                            const std::function<Result<void>(const Record&)>& read) {
    const auto read_line = [&](std::string_view line) -> Result<void> {
        const Place place{text.file(), text.line()};
        TRY(const Json json, parse_record(line, place));
        return read(Record(json, place));
    };
    for (;;) {
        auto line = text.next_line();
        if (!line.ok()) return import.take(std::move(line).error());
        if (!*line) return {};
        if (!is_blank(**line)) TRY(import.take(read_line(**line)));
    }
}

Result<void> each_json_text(TraceText& text, Import& import,
                            const std::function<Result<void>(const Record&)>& read) {
    TRY(const std::string_view head, text.peek(kHead));
    if (!is_one_text(head)) return each_json_line(text, import, read);
    const Place place{text.file()};
    const auto read_text = [&]() -> Result<Json> {
        TRY(const std::string whole, text.rest());
        return parse_json(whole, text.file());
    };
    const Result<Json> json = read_text();
    if (!json.ok()) return import.take(json.error());
    if (json->is_object()) return import.take(read(Record(*json, place)));
    for (size_t i = 0; i < json->size(); ++i) {
        const Place element = place.element("list", i);
        const Result<void> done =
            (*json)[i].is_object()
                ? read(Record((*json)[i], element))
                : Error{Code::invalid_argument, concat(element.text(), ": not an object")};
        TRY(import.take(done));
    }
    return {};
}

Result<void> each_csv_row(TraceText& text, Import& import,
                          const std::function<Result<void>(const CsvTable&)>& read) {
    TRY(CsvTable table, CsvTable::open(text));
    for (;;) {
        const auto there = table.next_row();
        if (!there.ok()) return import.take(there.error());
        if (!*there) return {};
        const Result<void> right = table.check_row();
        TRY(import.take(right.ok() ? read(table) : right));
    }
}

Result<Instant> ArrivalClock::arrive(Duration at, const Place& place, std::string_view field) {
    if (!first_) first_ = last_ = at;
    if (at < last_)
        return wrong_field(place, field, concat((at - *first_).seconds(), " s"),
                           concat("the clock jumps back: the one before came at ",
                                  (last_ - *first_).seconds(), " s"));
    last_ = at;
    return Instant::at_ns((at - *first_).ns());
}

TraceCall lone_call(uint32_t prompt_tokens, uint32_t output_tokens, TraceBuilder& trace) {
    TraceCall call{.model = trace.model(kNoModel),
                   .prompt_tokens = prompt_tokens,
                   .output_tokens = std::max(1U, output_tokens)};
    const uint32_t blocks = blocks_of(prompt_tokens, trace.block_tokens());
    call.added = {{trace.names().fresh(blocks), blocks}};
    return call;
}

Result<void> check_room(const TraceBuilder& trace, uint64_t tokens, const Place& place) {
    if (trace.names().has_room(tokens / trace.block_tokens() + 2)) return {};
    return Error{Code::too_large,
                 concat(place.text(), ": a trace holds at most ", PrefixNames::kMost,
                        " different blocks; import fewer calls, or with larger --block-tokens")};
}

}  // namespace brigada
