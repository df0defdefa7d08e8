// Gone: an event that happens at most once, "the client has disconnected", and the callbacks that
// want to know. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace brigada {

class Gone {
    using Callback = std::move_only_function<void()>;

  public:
    /// Keeps a callback registered for as long as it lives.
    class [[nodiscard]] Watch {
      public:
        Watch() = default;

      private:
        friend class Gone;
        explicit Watch(std::shared_ptr<Callback> callback) : callback_(std::move(callback)) {}
        std::shared_ptr<Callback> callback_;
    };

    bool happened() const { return happened_; }

    /// Calls `callback` when it happens; at once when it has.
    Watch watch(Callback callback);

    /// It happened: runs what is registered, in order of registration. A second call does nothing.
    void happen();

  private:
    std::vector<std::weak_ptr<Callback>> callbacks_;
    bool happened_ = false;
};

}  // namespace brigada
