// Stop signals: SIGINT and SIGTERM as something a server's main thread waits for. The first one
// drains, the second one cuts off whoever is still running. SIGHUP, for a server that asks for it,
// reads the configuration again.
#pragma once

#include <atomic>
#include <thread>

namespace brigada {

class HttpServer;

/// Blocks the stop signals in the calling thread and all it starts; call it before any thread is.
void block_stop_signals();

/// The same of SIGHUP. Without this, it ends the process.
void block_reload_signal();

/// Whether a stop signal has come; takes it.
bool stop_requested();

/// Returns when one has come.
void wait_for_stop();

enum class Told { stop, reload };

/// Returns when a stop signal or SIGHUP has come.
Told wait_for_stop_or_reload();

/// While it lives, another stop signal stops the server at once.
class ImpatientStop {
  public:
    explicit ImpatientStop(HttpServer& server);
    ~ImpatientStop();

  private:
    void watch(HttpServer& server);

    std::atomic<bool> done_ = false;
    std::thread thread_;
};

}  // namespace brigada
