#include "gateway/gateway.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/concat.h"
#include "gateway/audited_journal.h"

namespace brigada {

namespace {

Error cannot(std::string_view what, const Path& path) {
    return {Code::io, concat("can't ", what, " ", path.string(), ": ", std::strerror(errno))};
}

Result<void> write_new_file(const Path& path, std::string_view text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return cannot("make", path);
    const bool written =
        ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(file) == 0;
    ::close(file);
    if (!written) return cannot("write", path);
    return {};
}

/// The pepper of the key hashes, made at the first start. Who has it and the directory can still
/// not read keys, only test guesses.
Result<std::string> read_or_make_pepper(const Path& path, const RandomBytes& random) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) TRY(write_new_file(path, make_key_text(random)));
    TRY(std::string pepper, read_file(path, 4'096));
    if (pepper.size() < 16)
        return Error{Code::corrupt, concat(path.string(),
                                           ": too short to be a pepper; restore it "
                                           "from a backup, or remove it with directory.db")};
    return pepper;
}

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

Gateway::~Gateway() = default;

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
    TRY(const std::string pepper, read_or_make_pepper(folder / "pepper", os_random()));
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
    config_reader_.stop();
    ledger_reader_.stop();
    ledger_->stop(patience);
}

}  // namespace brigada
