// ClientCall: one call through the front door, from the key to the ledger. run() reads like the
// life of a request; upstreams are tried until one answers, and nothing is tried again once the
// client has seen a byte of an answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/call_body.h"
#include "gateway/call_cache.h"
#include "gateway/call_translation.h"
#include "gateway/client_stream.h"
#include "gateway/content_key.h"
#include "gateway/gateway.h"
#include "gateway/prompt_keys.h"
#include "gateway/refusal.h"
#include "gateway/retry_rules.h"
#include "gateway/seen/call_witness.h"
#include "gateway/session_identity.h"
#include "gateway/usage_meter.h"

namespace brigada {

/// The key a client sent: Authorization: Bearer, else x-api-key, else the header the configuration
/// names. "" for none.
std::string_view key_of(const HttpHeaders& headers, const std::string& key_header);

class ClientCall {
  public:
    /// nginx's word for a client that left; only the ledger sees it.
    static constexpr int kClientClosedRequest = 499;

    /// All outlive the call. Loop thread only.
    ClientCall(Gateway& gateway, Dialect dialect, HttpRequest& request, Responder& responder);

    /// Answers the call, one way or another.
    Task<void> run();

  private:
    enum class Try {
        answered,  // the client has its answer, or the error of a call that is its own fault
        failed,    // failure_ says how; another upstream or model may do
        unfit,     // refusal_ says why it can't be said to this upstream; another may take it
        again,     // without the thoughts, which this upstream does not believe
        gone,      // the client left
    };

    // The steps, in order. Each returns, or leaves in refusal_, why the call goes no further.
    std::optional<Refusal> identify();
    std::optional<Refusal> read();
    Result<void> read_body();
    Result<void> read_text();
    Result<void> continue_response();
    std::optional<Refusal> may_call() const;
    bool counts_prompt() const;
    Task<void> count_prompt(const std::string& model);
    Task<void> admit();
    Task<void> answer_from_cache();
    Task<void> wait_for_slot();
    Task<void> serve();
    Task<void> settle();

    Task<Try> try_model(const std::string& model);
    std::optional<Route> choose(const std::string& model, const std::vector<UpstreamId>& tried,
                                NoUpstream& why);
    Task<bool> wait_to_retry(const std::string& model, int64_t tries);
    Task<Try> try_upstream(const Route& route);
    std::vector<UpstreamId> in_its_own_dialect(std::vector<UpstreamId> eligible) const;
    std::vector<Splice> edits_for(const Deployment& deployment, std::string_view model) const;
    std::string salt() const;
    bool translate(const Deployment& deployment, std::string_view model);
    bool leave_thoughts_out();
    std::vector<std::string> dropped() const;
    bool is_strict() const;
    bool translates() const { return spoken_ != dialect_; }
    Try never_asked();
    Try unfit();
    void keep_alive(const Deployment& deployment);
    Task<Result<HttpResponseHead>> ask(HttpExchange& exchange, const Upstream& upstream,
                                       const std::vector<Splice>& edits);
    Task<Try> relay(HttpExchange& exchange, HttpResponseHead& head);
    Task<Try> relay_whole(HttpExchange& exchange, const HttpResponseHead& head);
    Task<Try> relay_stream(HttpExchange& exchange, HttpResponseHead& head);
    Task<CallStatus> copy_events(HttpExchange& exchange, std::string& closing, Error& broke);
    Result<void> take_events(const std::vector<std::string_view>& events, std::string& bytes,
                             std::string& closing);
    Task<bool> pass_on(const std::string& bytes);
    Result<std::string> answer_body(std::string upstream_body);
    Task<void> send_upstream_error(const HttpResponseHead& head, std::string text);
    std::string broken_end();
    void let_go_of_request();
    Task<void> end_stream(std::string closing);
    std::optional<FailureKind> judge_status(const HttpResponseHead& head);
    Task<Try> take_error(HttpExchange& exchange, const HttpResponseHead& head);

    std::optional<CachePlan> plan_cache() const;
    Task<void> replay(AnswerRef answer);
    void add_cache_headers(HttpHeaders& headers) const;
    void keep_answer(const HttpResponseHead& head, std::string_view rest, bool stream);
    void keep_response(std::string_view answer, bool stream);
    bool from_cache() const { return cache_ && cache_->hit(); }

    std::string meant() const;
    std::vector<std::string> fallbacks(const std::string& model) const;
    Wanted wanted(std::string_view model) const;
    void count_failure(const Upstream& upstream, FailureKind kind);
    Witness witness_of_failures() const;
    Duration first_byte_timeout(const Deployment& deployment) const;
    HttpHeaders answer_headers(const HttpResponseHead& head) const;
    brigada::Call route_call() const;
    void begin_attempt(const Route& route);
    bool note_in_ledger();
    void note_progress();
    void end_attempt(CallStatus status, int http_status, Ending ending);
    std::optional<ReportedPrompt> reported_prompt() const;
    int64_t used_tokens(CallStatus status) const;
    std::optional<Usage> whole_usage(CallStatus status) const;
    Try judge(const Error& error, const Upstream& upstream);
    Try abandon(int upstream_status);
    Try client_left(int upstream_status);
    void no_upstream(const std::string& model, const NoUpstream& why);
    void count_usage();
    CallRecord record() const;
    CallFacts facts() const;
    void note_refusal();
    Task<void> send_refusal();
    Instant now() const { return gateway_.loop().now(); }

    Gateway& gateway_;
    const SetupRef setup_;  // as it was when the call came
    const Dialect dialect_;
    HttpRequest& request_;
    Responder& responder_;
    ClientStream stream_;
    const Instant received_;
    const WallTime started_;
    const RecordId record_id_;
    const int64_t body_bytes_;
    CallWitness witness_;

    CallerRef caller_;
    CallBody body_;
    SessionIdentity identity_;
    SessionId session_{};  // as the router knows it
    SessionId group_{};    // of a sub-agent: its parent's
    PromptKeys prompt_;
    std::vector<ContentKey> message_keys_;
    int64_t prompt_tokens_ = 0;       // about,
    bool is_prompt_counted_ = false;  // unless they are counted
    int64_t answer_tokens_ = 0;       // that are reserved
    Admission::Hold hold_;
    WaitingRoom::Slot slot_;
    std::unique_ptr<CallCache> cache_;  // when the call may be answered from it, or kept in it
    std::string response_input_;        // of a response that will be kept
    Dialect spoken_;                    // by the upstream of this attempt
    std::optional<CallTranslation> translation_;  // once that was another than the client's
    std::string translated_body_;
    bool without_thoughts_ = false;     // an upstream did not believe them:
    std::vector<Splice> thoughts_cut_;  // what takes them out of the client's body
    bool reclaimed_ = false;            // a guaranteed call has taken the slot

    FailureKind failure_{};             // of the last try
    std::optional<Refusal> refusal_;    // the last reason why there is no answer
    HttpExchange* exchange_ = nullptr;  // running, for a client that leaves
    UsageMeter meter_;
    std::vector<UpstreamId> tried_;
    UpstreamState::Counted counted_;  // at the last of them
    Price price_;                     // there, as it was when it got the call
    CallId call_id_{};

    // For the ledger.
    std::optional<OpenCalls::Place> open_;  // while an upstream has the call
    std::vector<CallAttempt> attempts_;
    std::string model_served_;
    const Deployment* served_by_ = nullptr;
    CallStatus status_ = CallStatus::upstream_error;
    int http_status_ = 0;
    WallTime first_byte_ = {};
    Usage usage_;
    bool usage_counted_here_ = false;
    Money cost_;
};

}  // namespace brigada
