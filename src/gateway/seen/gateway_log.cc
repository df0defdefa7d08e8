#include "gateway/seen/gateway_log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "base/concat.h"

namespace brigada {

namespace {

Result<spdlog::sink_ptr> open_sink(const std::string& file) {
    try {
        spdlog::sink_ptr out;
        if (file.empty())
            out = std::make_shared<spdlog::sinks::stderr_sink_mt>();
        else
            out = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
        out->set_pattern("%v");  // the line is whole already
        return out;
    } catch (const spdlog::spdlog_ex& failed) {
        return Error{Code::io, concat("brigada.log.file: can't write ", file, ": ", failed.what())};
    }
}

}  // namespace

/// The lines that wait, and the thread that writes them: what has come within a moment goes out in
/// one call of the system.
class GatewayLog::Writer {
  public:
    /// `file` is what `sink` writes; empty: stderr.
    Writer(spdlog::sink_ptr sink, std::string file, size_t most)
        : sink_(std::move(sink)),
          file_(std::move(file)),
          most_(most),
          thread_([this] { write_until_stopped(); }) {}
    ~Writer() {
        {
            std::lock_guard lock(mutex_);
            is_stopping_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }

    void add(std::string line) {
        std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(line));
        if (waiting_.size() == 1) changed_.notify_one();
        if (waiting_.size() <= most_) return;
        waiting_.pop_front();
        ++dropped_;
    }

    void reopen() {
        std::lock_guard lock(mutex_);
        has_moved_ = !file_.empty();
    }

    uint64_t dropped() const {
        std::lock_guard lock(mutex_);
        return dropped_;
    }

  private:
    void write_until_stopped() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return is_stopping_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            changed_.wait_for(lock, kGather, [&] { return is_stopping_; });
            const std::deque<std::string> lines = std::exchange(waiting_, {});
            const bool has_moved = std::exchange(has_moved_, false);
            lock.unlock();
            if (has_moved) open_again();
            write(lines);
            lock.lock();
        }
    }

    void open_again() {
        if (auto sink = open_sink(file_); sink.ok()) sink_ = *std::move(sink);
    }

    void write(const std::deque<std::string>& lines) {
        std::string text;
        text.reserve(kPortionBytes);
        for (const std::string& line : lines) {
            if (text.size() + line.size() > kPortionBytes) put(text);
            text.append(text.empty() ? "" : "\n").append(line);  // the sink ends the last one
        }
        put(text);
        sink_->flush();
    }

    void put(std::string& text) {
        if (!text.empty()) sink_->log({"brigada", spdlog::level::critical, text});
        text.clear();
    }

    static constexpr std::chrono::milliseconds kGather{50};
    /// Larger ones would be mapped anew, and their pages cleared, for every batch.
    static constexpr size_t kPortionBytes = 32 * 1024;

    spdlog::sink_ptr sink_;
    const std::string file_;
    const size_t most_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> waiting_;
    uint64_t dropped_ = 0;
    bool has_moved_ = false;
    bool is_stopping_ = false;
    std::thread thread_;  // last: it uses all of the above
};

namespace {

LogFormat format_of(const LogSettings& settings) {
    if (settings.format != LogFormat::automatic) return settings.format;
    const bool is_for_people = settings.file.empty() && ::isatty(STDERR_FILENO) == 1;
    return is_for_people ? LogFormat::text : LogFormat::json;
}

}  // namespace

GatewayLog::GatewayLog(LogLevel level, LogFormat format, std::unique_ptr<Writer> writer)
    : level_(level), format_(format), writer_(std::move(writer)) {}

GatewayLog::~GatewayLog() = default;

Result<std::unique_ptr<GatewayLog>> GatewayLog::open(const LogSettings& settings,
                                                     size_t queue_lines) {
    TRY(spdlog::sink_ptr sink, open_sink(settings.file));
    return std::unique_ptr<GatewayLog>(
        new GatewayLog(settings.level, format_of(settings),
                       std::make_unique<Writer>(std::move(sink), settings.file, queue_lines)));
}

LogLine GatewayLog::line(LogLevel level, std::string_view event) const {
    return {format_, level, WallClock().now(), event};
}

void GatewayLog::write(LogLine line) {
    if (writes(line.level())) writer_->add(line.take());
}

void GatewayLog::reopen() {
    writer_->reopen();
}

uint64_t GatewayLog::dropped() const {
    return writer_->dropped();
}

}  // namespace brigada
