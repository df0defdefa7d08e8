// HealthWatch: asks every upstream now and then whether it is there, also those that get no calls:
// one that does not answer gets none until it does. What calls themselves meet is the breaker's.
#pragma once

#include <functional>
#include <map>

#include "gateway/setup.h"
#include "net/http_client.h"
#include "net/signal.h"

namespace brigada {

/// Loop thread only.
class HealthWatch {
  public:
    /// Told when an upstream goes down or comes back.
    using Changed = std::function<void(const Deployment& deployment, bool is_down)>;

    /// `setup` says which upstreams there are now; all must outlive the watch.
    HealthWatch(Loop& loop, HttpClient& client, std::function<SetupRef()> setup, Changed changed);

    /// Begins; the watch goes on until stop(). Checks only while the configuration asks for it.
    void start();
    /// Returns when nothing of it runs any more.
    Task<void> stop();

  private:
    Task<void> watch();
    Task<void> check_all(SetupRef setup);
    Task<void> check(const Upstream& upstream);

    Loop& loop_;
    HttpClient& client_;
    const std::function<SetupRef()> setup_;
    const Changed changed_;
    Signal wake_;
    Signal ended_;
    bool is_running_ = false;
    bool is_stopping_ = false;
};

}  // namespace brigada
