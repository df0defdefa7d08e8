#include "gateway/drain_calls.h"

#include "net/signal.h"

namespace brigada {

namespace {

constexpr Duration kPause = Duration::milliseconds(100);

}  // namespace

Task<Json> drain_calls(Gateway& gateway, Responder& responder) {
    gateway.set_draining();
    const ClassQueue& calls = gateway.waiting_room().queue();
    const Instant give_up = gateway.loop().now() + gateway.config().brigada.drain_grace;
    Signal pause(gateway.loop().executor());
    const auto gone = responder.on_gone([&] { pause.notify(); });
    while (calls.size() > 0 && gateway.loop().now() < give_up && !responder.client_gone())
        co_await pause.wait(kPause);
    co_return Json{{"status", calls.size() == 0 ? "drained" : "draining"},
                   {"calls_running", calls.size()}};
}

}  // namespace brigada
