// KeptAlerts: the alerts that nobody has taken yet, in a file, so that a restart or a crash of the
// gateway takes none with it: the next process tells what this one could not. An alert that was
// taken just before a crash is told once more, with the same id.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "net/worker.h"

namespace brigada {

/// An alert as it is sent, and what the log says of it.
struct WaitingAlert {
    std::string id = {};
    std::string event = {};
    std::string message = {};
    std::string body = {};

    friend bool operator==(const WaitingAlert&, const WaitingAlert&) = default;
};

class KeptAlerts {
  public:
    /// Told, on the file's thread, why an alert could not be kept.
    using Trouble = std::function<void(const std::string& why)>;

    /// More than so many that an earlier process left are not told any more: the oldest go.
    static constexpr size_t kMostLeft = 1'024;

    /// Error::io names the file. The end of a line that was cut short by a crash is passed over.
    static Result<std::unique_ptr<KeptAlerts>> open(Path file, Trouble trouble);

    /// What an earlier process left, in order.
    std::vector<WaitingAlert> take_left() { return std::move(left_); }

    // Any thread; written on a thread of its own, in the order of the calls.
    void add(WaitingAlert alert);
    void taken(std::string id);

    /// Writes what is still to be written.
    void stop() { worker_.stop(); }

  private:
    KeptAlerts(Path file, Trouble trouble, std::vector<WaitingAlert> left)
        : file_(std::move(file)), trouble_(std::move(trouble)), left_(std::move(left)) {}
    Result<void> write_left();
    void append(std::string line);

    const Path file_;
    const Trouble trouble_;
    std::vector<WaitingAlert> left_;
    Worker worker_{"alerts"};  // last: it uses all of the above
};

}  // namespace brigada
