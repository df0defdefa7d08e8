#include "gateway/seen/log_line.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <iterator>

#include "base/json.h"

namespace brigada {

namespace {

/// What neither format needs to escape.
bool is_plain(char c) {
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

bool is_one_word(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return is_plain(c) && c != ' ' && c != '='; });
}

void append_quoted(std::string& out, std::string_view text) {
    if (std::ranges::all_of(text, is_plain)) {
        out += '"';
        out += text;
        out += '"';
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
    const int64_t ms = time.ns / 1'000'000;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(ms / 1'000), ms % 1'000);
}

LogLine::LogLine(LogFormat format, LogLevel level, WallTime at, std::string_view event)
    : format_(format), level_(level) {
    line_.reserve(512);
    if (format_ == LogFormat::json) {
        fmt::format_to(std::back_inserter(line_), R"({{"time":"{}","level":"{}","event":"{}")",
                       log_time(at), to_string(level), event);
    } else {
        fmt::format_to(std::back_inserter(line_), "{} {:<7} {}", log_time(at), to_string(level),
                       event);
    }
}

void LogLine::begin(std::string_view name) {
    if (format_ == LogFormat::json) {
        line_ += ",\"";
        line_ += name;
        line_ += "\":";
    } else {
        line_ += ' ';
        line_ += name;
        line_ += '=';
    }
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
    fmt::format_to(std::back_inserter(line_), "{}{}.{:06}", us < 0 ? "-" : "",
                   std::abs(us) / 1'000'000, std::abs(us) % 1'000'000);
    return *this;
}

LogLine& LogLine::add_number(std::string_view name, int64_t number) {
    begin(name);
    line_ += std::to_string(number);
    return *this;
}

std::string LogLine::text() const {
    return format_ == LogFormat::json ? line_ + "}" : line_;
}

}  // namespace brigada
