#include "gateway/gateway.h"

#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

constexpr size_t kBodyMemoBytes = 64 << 20;  // some 4,000 sessions of 100,000 tokens

/// A PostgreSQL database that holds the calls and the hierarchy; nothing when there is none.
Result<std::optional<PostgresConfig>> postgres_of(const GatewayConfig& config) {
    if (config.general.database_url.empty()) return std::optional<PostgresConfig>();
    auto address = parse_postgres_address(config.general.database_url.reveal());
    if (!address.ok()) return std::move(address).error().in("general_settings.database_url");
    return std::optional(PostgresConfig{.address = *std::move(address)});
}

uint64_t random_number() {
    std::array<uint8_t, 8> bytes{};
    os_random()(bytes);
    uint64_t out = 0;
    std::memcpy(&out, bytes.data(), sizeof(out));
    return out;
}

}  // namespace

Gateway::Gateway(GatewayConfig config, const UpstreamTls& tls, TokenCounters counters, Loop& loop,
                 uint64_t random)
    : setup_(std::make_shared<Setup>(std::move(config), tls, std::move(counters))),
      loop_(loop),
      answers_(static_cast<size_t>(this->config().brigada.cache_bytes)),
      kept_responses_(static_cast<size_t>(this->config().brigada.kept_response_bytes)),
      client_(std::make_unique<HttpClient>(
          loop, HttpClientOptions{.offers_http2 = this->config().brigada.http2})),
      router_(std::make_unique<Router>(
          make_policy(this->config().router.strategy),
          SessionTableConfig{.idle = this->config().router.affinity.idle}, Rng(random))),
      bodies_(kBodyMemoBytes, random_number()),
      counting_(std::make_unique<CountingDesk>(loop, random_number())),
      record_ids_(random) {
    setup_->upstreams.introduce(*router_);
}

Gateway::~Gateway() {
    CHECK(has_ended_, "a gateway that is destroyed while its loop may use it");
}

Result<std::unique_ptr<Gateway>> Gateway::open(GatewayConfig config, Loop& loop) {
    TRY(const UpstreamTls tls, UpstreamTls::open(config));
    TRY(std::unique_ptr<Seen> seen, Seen::open(config, random_number()));
    TokenCounters counters = TokenCounters::open(config);
    std::unique_ptr<Gateway> out(
        new Gateway(std::move(config), tls, std::move(counters), loop, random_number()));
    out->seen_ = std::move(seen);
    const Result<void> opened = out->open_parts();
    if (opened.ok()) return out;
    out->stop({});
    return opened.error();
}

Result<void> Gateway::open_parts() {
    const Path folder = config().brigada.data_dir;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
        return Error{Code::io, concat("can't make the data folder ", folder.string(), ": ",
                                      failed.message())};
    const bool is_first_start = !std::filesystem::exists(folder / "ledger", failed);
    TRY(const std::optional<PostgresConfig> postgres, postgres_of(config()));
    TRY(hierarchy_, Hierarchy::open({.folder = folder,
                                     .pepper = config().brigada.pepper.reveal(),
                                     .postgres = postgres,
                                     .directory = directory_config(config())},
                                    loop_));
    TRY(ledger_, Ledger::open({.folder = folder / "ledger",
                               .postgres = postgres,
                               .sync_within = config().brigada.ledger_sync,
                               .mover = {.keep = config().general.spend_log_retention}}));
    TRY(budgets_, BudgetBook::open(config(), {.directory = directory(),
                                              .ledger = *ledger_,
                                              .loop = loop_,
                                              .worker = ledger_reader_}));
    TRY(seen_->keep_alerts_in(folder / "alerts"));
    listen_to_budgets();
    admission_ = std::make_unique<Admission>(directory(), *budgets_, loop_);
    TRY(waiting_room_, WaitingRoom::open(config().brigada.admission, loop_));
    if (config().redis.is_given()) TRY(open_books(is_first_start));
    health_watch_ = std::make_unique<HealthWatch>(
        loop_, *client_, [this] { return setup_; },
        [this](const Deployment& deployment, bool is_down) {
            metrics_.upstream_found(deployment.id, is_down);
        });
    health_watch_->start();
    loop_watch_ = std::make_unique<LoopWatch>(
        loop_, [this](const Lateness& lateness) { metrics_.loop_was_late(lateness); });
    loop_watch_->start();
    return {};
}

void Gateway::listen_to_budgets() {
    budgets_->on_crossed([this](const ThresholdCrossing& crossed) {
        metrics_.threshold_crossed(crossed.permille);
        seen_->threshold_crossed(crossed, directory());
    });
    budgets_->on_refused(
        [this](const BudgetRefusal& refused) { seen_->budget_refused(refused, directory()); });
}

Task<void> Gateway::note_refusals() {
    Administration& administration = hierarchy_->administration();
    std::vector<AuditEvent> events = administration.refused_notes();
    std::vector<AuditEvent> more =
        draining_ ? refusals_.take_all() : refusals_.take(WallClock().now());
    events.insert(events.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
    co_await administration.note(std::move(events));
}

ModelId Gateway::model_id(std::string_view name) {
    const auto found = model_ids_.find(name);
    if (found != model_ids_.end()) return found->second;
    const ModelId id{static_cast<uint32_t>(model_ids_.size() + 1)};
    model_ids_.emplace(std::string(name), id);
    return id;
}

Task<void> Gateway::stop_watching(std::promise<void>& done) {
    if (health_watch_) co_await health_watch_->stop();
    if (loop_watch_) co_await loop_watch_->stop();
    if (hierarchy_) co_await note_refusals();  // before its worker stops
    done.set_value();
}

/// A part may be missing: that which could not be opened, and those after it.
void Gateway::stop(Duration patience) {
    std::promise<void> watched;
    if (loop_.spawn(stop_watching(watched))) watched.get_future().wait();
    leave_others();
    counting_->stop();
    reports_.stop();
    config_reader_.stop();
    ledger_reader_.stop();
    if (hierarchy_) hierarchy_->stop();
    if (ledger_) ledger_->stop(patience);
    seen_->stop();
    loop_.stop();  // what still waits on it refers to parts that are still there
    has_ended_ = true;
}

}  // namespace brigada
