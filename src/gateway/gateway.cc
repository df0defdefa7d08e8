#include "gateway/gateway.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/concat.h"
#include "gateway/audited_journal.h"
#include "route/least_busy.h"
#include "route/lowest_cost.h"
#include "route/lowest_latency.h"
#include "route/prefix_hash.h"
#include "route/round_robin.h"
#include "route/session_policy.h"
#include "route/weighted.h"

namespace brigada {

namespace {

constexpr uint32_t kPrefixHashBlocks = 64;  // the first 1,024 tokens: tools, for most agents

std::unique_ptr<Policy> make_policy(RoutingStrategy strategy) {
    switch (strategy) {
        case RoutingStrategy::round_robin:
            return std::make_unique<RoundRobin>();
        case RoutingStrategy::prefix_hash:
            return std::make_unique<PrefixHash>(kPrefixHashBlocks);
        case RoutingStrategy::simple_shuffle:
            return std::make_unique<Weighted>();
        case RoutingStrategy::least_busy:
        case RoutingStrategy::usage_based:
            return std::make_unique<LeastBusy>();
        case RoutingStrategy::latency_based:
            return std::make_unique<LowestLatency>();
        case RoutingStrategy::cost_based:
            return std::make_unique<LowestCost>();
        case RoutingStrategy::session:
            break;
    }
    return std::make_unique<SessionPolicy>(SessionPolicyConfig{});
}

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

/// The fields of a body of /key/generate or /team/new that leaves them out.
Json defaults(const LimitSettings& settings) {
    Json out = Json::object();
    const auto give = [&](const char* name, const auto& value) {
        if (value) out[name] = *value;
    };
    const auto say = [&](const char* name, const std::string& text) {
        if (!text.empty()) out[name] = text;
    };
    if (settings.max_budget)
        out["max_budget"] = static_cast<double>(settings.max_budget->nano) / 1e9;
    say("budget_duration", settings.budget_duration);
    say("duration", settings.duration);
    give("tpm_limit", settings.tpm);
    give("rpm_limit", settings.rpm);
    give("max_parallel_requests", settings.max_parallel);
    if (!settings.models.empty()) out["models"] = settings.models;
    return out;
}

DirectoryConfig directory_config(const GatewayConfig& config) {
    const LimitSettings& most = config.budgets.key_most;
    DirectoryConfig out{.master_key = config.general.master_key.reveal(),
                        .key_defaults = defaults(config.budgets.key_defaults),
                        .team_defaults = defaults(config.budgets.team_defaults)};
    out.proxy.max_budget = config.budgets.max_budget;
    out.proxy.budget_duration = config.budgets.budget_duration;
    out.key_bounds = {.limits = {.requests_per_minute = most.rpm,
                                 .tokens_per_minute = most.tpm,
                                 .concurrent = most.max_parallel},
                      .max_budget = most.max_budget,
                      .budget_duration = most.budget_duration,
                      .lifetime = most.duration};
    return out;
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
    : config_(std::move(config)),
      loop_(loop),
      client_(std::make_unique<HttpClient>(loop)),
      upstreams_(std::make_unique<UpstreamSet>(config_)),
      router_(std::make_unique<Router>(make_policy(config_.router.strategy),
                                       SessionTableConfig{.idle = config_.router.affinity.idle},
                                       Rng(random))),
      record_ids_(random) {
    upstreams_->introduce(*router_);
}

Gateway::~Gateway() = default;

Result<std::unique_ptr<Gateway>> Gateway::open(GatewayConfig config, Loop& loop) {
    std::unique_ptr<Gateway> out(new Gateway(std::move(config), loop, random_number()));
    TRY(out->open_parts());
    return out;
}

Result<void> Gateway::open_parts() {
    const Path folder = config_.brigada.data_dir;
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
    directory_ = std::make_unique<Directory>(directory_config(config_), std::move(hasher),
                                             os_random(), journal_.get());
    TRY(directory_->restore(std::move(records)));
    TRY(ledger_, Ledger::open({.folder = folder / "ledger"}));
    TRY(budgets_, BudgetBook::open({.config = config_,
                                    .directory = *directory_,
                                    .ledger = *ledger_,
                                    .loop = loop_,
                                    .worker = ledger_reader_}));
    budgets_->on_crossed(
        [this](const ThresholdCrossing& crossed) { metrics_.threshold_crossed(crossed.permille); });
    admission_ = std::make_unique<Admission>(*directory_, *budgets_, loop_);
    TRY(waiting_room_, WaitingRoom::open(config_.brigada.admission, loop_));
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
    ledger_reader_.stop();
    ledger_->stop(patience);
}

}  // namespace brigada
