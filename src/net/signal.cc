#include "net/signal.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/check.h"

namespace brigada {

namespace asio = boost::asio;

void Signal::notify() {
    notified_ = true;
    if (waiting_) timer_.cancel();
}

Task<bool> Signal::wait(Duration timeout) {
    CHECK(!waiting_, "a Signal has one waiter");
    if (!notified_) {
        const auto now = std::chrono::steady_clock::now();
        const auto room = std::chrono::steady_clock::time_point::max() - now;
        timer_.expires_at(now + std::min<std::chrono::nanoseconds>(timeout.chrono(), room));
        waiting_ = true;
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable_t<LoopExecutor>{}));
        waiting_ = false;
    }
    co_return std::exchange(notified_, false);
}

}  // namespace brigada
