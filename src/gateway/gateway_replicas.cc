// A gateway among others: how it comes to count with them, and how it leaves.
#include <cstdio>
#include <fstream>
#include <future>

#include "gateway/gateway.h"
#include "net/tls_context.h"

namespace brigada {

namespace {

/// Longer than a replica that died just before this one began is held for alive.
constexpr Duration kMeetingTime = ReplicaShare::kGone + Duration::seconds(1);

/// A mark left in the data folder by a process that told Redis all it had admitted: the next one
/// need not wait until a minute has passed.
constexpr std::string_view kToldMark = "told-redis";

bool take_mark(const Path& path) {
    return std::remove(path.c_str()) == 0;
}

Task<void> meet(SharedBooks& books, std::promise<void>& done) {
    co_await books.wait_until_known(kMeetingTime);
    done.set_value();
}

Task<void> leave(SharedBooks& books, std::promise<bool>& told) {
    told.set_value(co_await books.stop());
}

}  // namespace

Result<void> Gateway::open_books(bool is_first_start) {
    TRY(RedisAddress address, redis_address(config().redis));
    std::shared_ptr<TlsContext> tls;
    if (address.is_tls) {
        TRY(tls, TlsContext::open(config().tls));
    }
    const BrigadaSettings& settings = config().brigada;
    const bool was_told = take_mark(settings.data_dir / kToldMark);
    books_ = std::make_unique<SharedBooks>(
        SharedBooks::Settings{.address = std::move(address),
                              .tls = std::move(tls),
                              .replicas = settings.replicas.value_or(1),
                              .patience = settings.redis_timeout,
                              .knows_all = is_first_start || was_told},
        loop_, *admission_, metrics_);
    admission_->count_with(*books_);
    has_left_ = false;
    loop_.run([this] { books_->start(); });
    return {};
}

void Gateway::meet_others() {
    if (!books_) return;
    std::promise<void> done;
    if (loop_.spawn(meet(*books_, done))) done.get_future().wait();
}

void Gateway::leave_others() {
    if (std::exchange(has_left_, true)) return;
    std::promise<bool> told;
    if (!loop_.spawn(leave(*books_, told))) return;
    if (told.get_future().get()) std::ofstream(config().brigada.data_dir / kToldMark).put('\n');
}

}  // namespace brigada
