#include "gateway/seen/log_line.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/append_all.h"
#include "base/digits.h"
#include "base/json.h"

namespace brigada {

namespace {

/// What neither format needs to escape.
bool is_plain(char c) {
    return (c >= ' ') & (c < 0x7f) & (c != '"') & (c != '\\');
}

bool is_one_word(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return is_plain(c) && c != ' ' && c != '='; });
}

/// Looks at every character whatever comes first, which the compiler makes vectors of.
bool is_all_plain(std::string_view text) {
    bool plain = true;
    for (const char c : text)
        plain &= is_plain(c);
    return plain;
}

void append_quoted(std::string& out, std::string_view text) {
    if (is_all_plain(text)) {
        append_all(out, "\"", text, "\"");
    } else {
        out += dump_json(std::string(text));  // also replaces what is not UTF-8
    }
}

}  // namespace

std::string_view to_string(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return "debug";
        case LogLevel::info:
            return "info";
        case LogLevel::warning:
            return "warning";
        case LogLevel::error:
            break;
    }
    return "error";
}

std::string log_time(WallTime time) {
    using namespace std::chrono;
    const sys_time<milliseconds> at(milliseconds(time.ns / 1'000'000));
    const auto day = floor<days>(at);
    const year_month_day date(day);
    const hh_mm_ss clock(at - day);
    std::string out;
    out.reserve(24);
    const auto put = [&](auto number, size_t width, char after) {
        append_padded(out, static_cast<uint64_t>(number), width);
        out += after;
    };
    put(int{date.year()}, 4, '-');
    put(unsigned{date.month()}, 2, '-');
    put(unsigned{date.day()}, 2, 'T');
    put(clock.hours().count(), 2, ':');
    put(clock.minutes().count(), 2, ':');
    put(clock.seconds().count(), 2, '.');
    put(clock.subseconds().count(), 3, 'Z');
    return out;
}

LogLine::LogLine(LogFormat format, LogLevel level, WallTime at, std::string_view event)
    : format_(format), level_(level) {
    line_.reserve(1'024);
    if (format_ == LogFormat::json) {
        line_.append(R"({"time":")").append(log_time(at)).append(R"(","level":")");
        line_.append(to_string(level)).append(R"(","event":")").append(event).append("\"");
    } else {
        line_.append(log_time(at)).append(" ").append(to_string(level));
        line_.append(8 - to_string(level).size(), ' ').append(event);
    }
}

void LogLine::begin(std::string_view name) {
    if (format_ == LogFormat::json)
        append_all(line_, ",\"", name, "\":");
    else
        append_all(line_, " ", name, "=");
}

void LogLine::put(std::string_view text) {
    if (format_ == LogFormat::text && is_one_word(text))
        line_ += text;
    else
        append_quoted(line_, text);
}

LogLine& LogLine::add(std::string_view name, std::string_view text) {
    if (text.empty()) return *this;
    begin(name);
    put(text.substr(0, kLogTextBytes));
    return *this;
}

LogLine& LogLine::add(std::string_view name, bool value) {
    begin(name);
    line_ += value ? "true" : "false";
    return *this;
}

LogLine& LogLine::add(std::string_view name, Duration duration) {
    begin(name);
    const int64_t us = duration.ns() / 1'000;
    if (us < 0) line_ += '-';
    append_decimal(line_, std::abs(us) / 1'000'000);
    line_ += '.';
    append_padded(line_, static_cast<uint64_t>(std::abs(us) % 1'000'000), 6);
    return *this;
}

LogLine& LogLine::add_number(std::string_view name, int64_t number) {
    begin(name);
    append_decimal(line_, number);
    return *this;
}

std::string LogLine::take() {
    if (format_ == LogFormat::json) line_ += '}';
    return std::move(line_);
}

}  // namespace brigada
