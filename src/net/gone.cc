#include "net/gone.h"

namespace brigada {

Gone::Watch Gone::watch(Callback callback) {
    if (happened_) {
        callback();
        return Watch();
    }
    std::erase_if(callbacks_, [](const auto& entry) { return entry.expired(); });
    auto shared = std::make_shared<Callback>(std::move(callback));
    callbacks_.push_back(shared);
    return Watch(std::move(shared));
}

void Gone::happen() {
    if (std::exchange(happened_, true)) return;
    // A callback may drop other watches, so each is asked for when its turn comes.
    for (const std::weak_ptr<Callback>& entry : std::exchange(callbacks_, {}))
        if (const std::shared_ptr<Callback> callback = entry.lock()) (*callback)();
}

}  // namespace brigada
