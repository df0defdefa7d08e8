#include "gateway/seen/gateway_log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <utility>

#include "base/concat.h"

namespace brigada {

struct GatewayLog::Parts {
    std::shared_ptr<spdlog::async_logger> logger;
    std::shared_ptr<spdlog::details::thread_pool> pool;  // goes first: its thread uses the logger
};

namespace {

LogFormat format_of(const LogSettings& settings) {
    if (settings.format != LogFormat::automatic) return settings.format;
    const bool is_for_people = settings.file.empty() && ::isatty(STDERR_FILENO) == 1;
    return is_for_people ? LogFormat::text : LogFormat::json;
}

Result<spdlog::sink_ptr> open_sink(const std::string& file) {
    if (file.empty()) return spdlog::sink_ptr(std::make_shared<spdlog::sinks::stderr_sink_mt>());
    try {
        return spdlog::sink_ptr(std::make_shared<spdlog::sinks::basic_file_sink_mt>(file));
    } catch (const spdlog::spdlog_ex& failed) {
        return Error{Code::io, concat("brigada.log.file: can't write ", file, ": ", failed.what())};
    }
}

}  // namespace

GatewayLog::GatewayLog(LogLevel level, LogFormat format, std::unique_ptr<Parts> parts)
    : level_(level), format_(format), parts_(std::move(parts)) {}

GatewayLog::~GatewayLog() = default;

Result<std::unique_ptr<GatewayLog>> GatewayLog::open(const LogSettings& settings,
                                                     size_t queue_lines) {
    TRY(spdlog::sink_ptr sink, open_sink(settings.file));
    sink->set_pattern("%v");  // the line is whole already
    auto parts = std::make_unique<Parts>();
    parts->pool = std::make_shared<spdlog::details::thread_pool>(queue_lines, 1);
    parts->logger = std::make_shared<spdlog::async_logger>(
        "brigada", std::move(sink), parts->pool, spdlog::async_overflow_policy::overrun_oldest);
    parts->logger->flush_on(spdlog::level::trace);
    return std::unique_ptr<GatewayLog>(
        new GatewayLog(settings.level, format_of(settings), std::move(parts)));
}

LogLine GatewayLog::line(LogLevel level, std::string_view event) const {
    return {format_, level, WallClock().now(), event};
}

void GatewayLog::write(const LogLine& line) {
    if (writes(line.level()))
        parts_->logger->log(spdlog::level::critical, spdlog::string_view_t(line.text()));
}

uint64_t GatewayLog::dropped() const {
    return parts_->pool->overrun_counter();
}

}  // namespace brigada
