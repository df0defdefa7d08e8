#include "gateway/gateway.h"

#include <cstring>
#include <utility>

#include "base/concat.h"
#include "gateway/audited_journal.h"
#include "gateway/kept_secret.h"

namespace brigada {

namespace {

uint64_t random_number() {
    std::array<uint8_t, 8> bytes{};
    os_random()(bytes);
    uint64_t out = 0;
    std::memcpy(&out, bytes.data(), sizeof(out));
    return out;
}

}  // namespace

Gateway::Gateway(GatewayConfig config, Loop& loop, uint64_t random)
    : setup_(std::make_shared<Setup>(std::move(config))),
      loop_(loop),
      client_(std::make_unique<HttpClient>(loop)),
      router_(std::make_unique<Router>(
          make_policy(this->config().router.strategy),
          SessionTableConfig{.idle = this->config().router.affinity.idle}, Rng(random))),
      record_ids_(random) {
    setup_->upstreams.introduce(*router_);
}

Gateway::~Gateway() {
    leave_others();
}

Result<std::unique_ptr<Gateway>> Gateway::open(GatewayConfig config, Loop& loop) {
    std::unique_ptr<Gateway> out(new Gateway(std::move(config), loop, random_number()));
    TRY(out->open_parts());
    return out;
}

Result<void> Gateway::open_parts() {
    const Path folder = config().brigada.data_dir;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
        return Error{Code::io, concat("can't make the data folder ", folder.string(), ": ",
                                      failed.message())};
    const bool is_first_start = !std::filesystem::exists(folder / "ledger", failed);
    // Of the key hashes: who has it and the directory can still not read keys, only test guesses.
    TRY(const std::string pepper, read_or_make_secret(folder / "pepper", os_random()));
    KeyHasher hasher(pepper);
    TRY(directory_store_, DirectoryStore::open(folder / "directory.db", hasher.pepper_mark()));
    TRY(std::vector<Record> records, directory_store_->load());
    TRY(AuditLog audit, AuditLog::open(folder / "audit.log"));
    audit_ = std::make_unique<AuditLog>(std::move(audit));
    journal_ = std::make_unique<AuditedJournal>(*audit_, *directory_store_);
    directory_ = std::make_unique<Directory>(directory_config(config()), std::move(hasher),
                                             os_random(), journal_.get());
    TRY(directory_->restore(std::move(records)));
    TRY(ledger_,
        Ledger::open({.folder = folder / "ledger", .sync_within = config().brigada.ledger_sync}));
    TRY(budgets_, BudgetBook::open(config(), {.directory = *directory_,
                                              .ledger = *ledger_,
                                              .loop = loop_,
                                              .worker = ledger_reader_}));
    budgets_->on_crossed(
        [this](const ThresholdCrossing& crossed) { metrics_.threshold_crossed(crossed.permille); });
    admission_ = std::make_unique<Admission>(*directory_, *budgets_, loop_);
    TRY(waiting_room_, WaitingRoom::open(config().brigada.admission, loop_));
    if (config().redis.is_given()) TRY(open_books(is_first_start));
    health_watch_ = std::make_unique<HealthWatch>(
        loop_, *client_, [this] { return setup_; },
        [this](const Deployment& deployment, bool is_down) {
            metrics_.upstream_found(deployment.id, is_down);
        });
    health_watch_->start();
    return {};
}

ModelId Gateway::model_id(std::string_view name) {
    const auto found = model_ids_.find(name);
    if (found != model_ids_.end()) return found->second;
    const ModelId id{static_cast<uint32_t>(model_ids_.size() + 1)};
    model_ids_.emplace(std::string(name), id);
    return id;
}

void Gateway::stop(Duration patience) {
    leave_others();
    config_reader_.stop();
    ledger_reader_.stop();
    ledger_->stop(patience);
}

}  // namespace brigada
