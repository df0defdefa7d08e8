// Gateway: all that the calls of one front door share, owned by one loop: who may call, what they
// have used, where calls can go, and the ledger of what was spent.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/wall_time.h"
#include "gateway/admission.h"
#include "gateway/answer_cache.h"
#include "gateway/body_memo.h"
#include "gateway/config/load_config.h"
#include "gateway/counting_desk.h"
#include "gateway/gateway_metrics.h"
#include "gateway/health_watch.h"
#include "gateway/hierarchy.h"
#include "gateway/refusal_book.h"
#include "gateway/responses/kept_response.h"
#include "gateway/seen/seen.h"
#include "gateway/setup.h"
#include "gateway/token_estimate.h"
#include "gateway/waiting_room.h"
#include "ledger/ledger.h"
#include "net/http_client.h"
#include "net/loop.h"
#include "net/worker.h"
#include "route/router.h"

namespace brigada {

class Gateway {
  public:
    /// Opens or makes what is kept in `config.brigada.data_dir`, and in the database if there is
    /// one. Errors as of those, and of TLS to upstreams; they name the file. `loop` is this
    /// gateway's alone, and has stopped after an error.
    static Result<std::unique_ptr<Gateway>> open(GatewayConfig config, Loop& loop);
    ~Gateway();

    /// As it is now. A call keeps the setup it began with.
    const SetupRef& setup() const { return setup_; }
    const GatewayConfig& config() const { return setup_->config; }
    const UpstreamSet& upstreams() const { return setup_->upstreams; }

    /// Where reload() reads from.
    using ReadConfig = std::move_only_function<Result<LoadedConfig>()>;
    void set_reader(ReadConfig read) { read_config_ = std::move(read); }
    /// Reads the configuration again and puts it in force for the calls to come; those that run
    /// keep theirs. Returns what there is to say about it. An error leaves the old one in force.
    /// The log is opened again whatever comes of it.
    Task<Result<std::vector<std::string>>> reload();

    Loop& loop() { return loop_; }
    HttpClient& client() { return *client_; }
    Hierarchy& hierarchy() { return *hierarchy_; }
    Directory& directory() { return hierarchy_->directory(); }
    BudgetBook& budgets() { return *budgets_; }
    Admission& admission() { return *admission_; }
    /// What replicas count together in Redis; null for a gateway that has none.
    const SharedBooks* books() const { return books_.get(); }
    WaitingRoom& waiting_room() { return *waiting_room_; }
    Router& router() { return *router_; }
    Ledger& ledger() { return *ledger_; }
    /// For what reads the ledger: the loop does not wait for it.
    Worker& ledger_reader() { return ledger_reader_; }
    /// For reports, which may take long: budgets do not wait behind them.
    Worker& reports() { return reports_; }
    GatewayMetrics& metrics() { return metrics_; }
    TokenEstimate& token_estimate() { return token_estimate_; }
    BodyMemo& bodies() { return bodies_; }
    CountingDesk& counting() { return *counting_; }
    /// Policy refusals, until note_refusals() brings them into the audit log.
    RefusalBook& refusals() { return refusals_; }
    Task<void> note_refusals();
    Seen& seen() { return *seen_; }
    AnswerCache& answers() { return answers_; }
    KeptResponses& kept_responses() { return kept_responses_; }

    RecordId new_record_id() { return record_ids_.next(WallClock().now()); }
    CallId new_call_id() { return CallId{++last_call_}; }
    ModelId model_id(std::string_view name);

    bool draining() const { return draining_; }
    void set_draining() { draining_ = true; }

    /// With other replicas: waits until limits are counted with them, or Redis turned out to be
    /// away. Not on the loop.
    void meet_others();

    /// Ends what runs beside calls, writes what waits and stops the loop; the log still takes
    /// lines. Calls have ended. Not on the loop, and before the gateway is destroyed.
    void stop(Duration patience);

  private:
    Gateway(GatewayConfig config, const UpstreamTls& tls, TokenCounters counters, Loop& loop,
            uint64_t random);
    Result<void> open_parts();
    void listen_to_budgets();
    Result<void> open_books(bool is_first_start);
    void leave_others();
    Task<void> stop_watching(std::promise<void>& done);

    Task<Result<std::vector<std::string>>> read_again();
    Result<void> put_in_force(GatewayConfig config, const UpstreamTls& tls, TokenCounters counters);

    SetupRef setup_;
    Loop& loop_;
    GatewayMetrics metrics_;
    std::unique_ptr<Seen> seen_;
    AnswerCache answers_;
    KeptResponses kept_responses_;
    std::unique_ptr<HttpClient> client_;
    std::unique_ptr<Hierarchy> hierarchy_;
    std::unique_ptr<Ledger> ledger_;
    Worker ledger_reader_{"ledger reader"};
    Worker reports_{"reports"};
    std::unique_ptr<BudgetBook> budgets_;
    std::unique_ptr<Admission> admission_;
    std::unique_ptr<SharedBooks> books_;
    bool has_left_ = true;
    std::unique_ptr<WaitingRoom> waiting_room_;
    std::unique_ptr<Router> router_;
    std::unique_ptr<HealthWatch> health_watch_;
    std::unique_ptr<LoopWatch> loop_watch_;
    TokenEstimate token_estimate_;
    BodyMemo bodies_;
    std::unique_ptr<CountingDesk> counting_;
    RefusalBook refusals_;
    RecordIds record_ids_;
    uint64_t last_call_ = 0;
    std::map<std::string, ModelId, std::less<>> model_ids_;
    bool draining_ = false;
    ReadConfig read_config_;
    Worker config_reader_{"config reader"};
    bool is_reloading_ = false;
    bool has_ended_ = false;
};

}  // namespace brigada
