#include "gateway/seen/watch.h"

#include "net/signal.h"

namespace brigada {

Task<void> watch_over(Gateway& gateway) {
    Signal never(gateway.loop().executor());
    for (;;) {
        co_await never.wait(Duration::seconds(1));
        for (const Upstream& upstream : gateway.upstreams().all())
            gateway.seen().look_at(upstream);
        gateway.seen().look_at(gateway.ledger().backlog());
        (void)gateway.loop().spawn(gateway.note_refusals());
    }
}

}  // namespace brigada
