#include "gateway/debug_state.h"

#include "base/concat.h"
#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

/// Text grown line by line.
class Page {
  public:
    template <typename... Values>
    void line(fmt::format_string<const Values&...> format, const Values&... values) {
        fmt::format_to(std::back_inserter(text_), format, values...);
        text_ += '\n';
    }
    void gap() { text_ += '\n'; }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

std::string or_well(const std::string& trouble) {
    return trouble.empty() ? "well" : trouble;
}

std::string breaker_words(const Breaker& breaker, Instant now) {
    if (breaker.open_for_one()) return "open for one tenant";
    if (breaker.allows(now)) return breaker.open() ? "on trial" : "closed";
    const Instant from = breaker.allows_from(now);
    if (from == Instant::never()) return "on trial";
    return concat(breaker.open() ? "open, " : "asked to wait, ", (from - now).ms() / 1'000, " s");
}

void show_calls(const ClassQueue& queue, const AdmissionSettings& settings, Page& page) {
    page.line("calls            running   waiting   of {} slots", settings.slots);
    for (const PriorityClass priority :
         {PriorityClass::guaranteed, PriorityClass::standard, PriorityClass::batch})
        page.line("  {:<12} {:>9} {:>9}", to_string(priority), queue.running(priority),
                  queue.waiting(priority));
    page.line("  waiting bodies: {} bytes", queue.waiting_bytes());
    page.gap();
}

void show_upstreams(Gateway& gateway, Instant now, Page& page) {
    page.line("{:<24} {:<24} {:<20} {:>8} {:>8} {:>9} {:>8} {:>8}", "upstream", "model", "breaker",
              "failures", "running", "attempts", "failed", "unread");
    for (const Upstream& upstream : gateway.upstreams().all()) {
        const UpstreamLoad& load = gateway.router().load(upstream.id);
        page.line("{:<24} {:<24} {:<20} {:>8} {:>8} {:>9} {:>8} {:>8}", upstream.deployment->id,
                  upstream.deployment->model_name, breaker_words(upstream.breaker(), now),
                  upstream.breaker().failures(), load.calls(), upstream.state->calls,
                  upstream.state->failures, load.pending_tokens());
    }
    page.gap();
}

void show_ledger(const LedgerBacklog& backlog, Page& page) {
    page.line("ledger");
    page.line("  backlog: {} records, {} bytes{}", backlog.records, backlog.bytes,
              backlog.oldest ? concat(", oldest of ", iso_text(*backlog.oldest)) : "");
    page.line("  log: {}", or_well(backlog.log_trouble));
    page.line("  store: {}", or_well(backlog.store_trouble));
    page.gap();
}

void show_books(Gateway& gateway, Page& page) {
    const Directory& directory = gateway.directory();
    page.line("books");
    page.line("  directory: {} organisations, {} teams, {} users, {} keys, {} end users",
              directory.all<Organisation>().size(), directory.all<Team>().size(),
              directory.all<User>().size(), directory.all<Key>().size(),
              directory.all<EndUser>().size());
    const Limiter& limiter = gateway.admission().limiter();
    page.line("  limits: {} scopes, {} calls reserved", limiter.scopes(), limiter.reservations());
    const Budgets& budgets = gateway.budgets().budgets();
    page.line("  budgets: {} scopes, {} calls reserved", budgets.scopes(), budgets.reservations());
    page.line("  sessions: {}", gateway.router().sessions().size());
    const AnswerCache& answers = gateway.answers();
    page.line("  answers: {} of {} tenants, {} of {} bytes", answers.size(), answers.tenants(),
              answers.bytes(), answers.max_bytes());
    const BodyMemo& bodies = gateway.bodies();
    page.line("  bodies known: {} bytes, {} calls went on from one", bodies.bytes(), bodies.hits());
    page.gap();
}

void show_outgoing(const char* what, const std::optional<OutboxCounts>& counts, Page& page) {
    if (!counts) return page.line("  {}: none are sent", what);
    page.line("  {}: {} waiting, {} sent, {} dropped", what, counts->waiting, counts->sent,
              counts->dropped);
}

}  // namespace

std::string debug_state(Gateway& gateway) {
    Page page;
    page.line("brigada gateway at {}{}", iso_text(WallClock().now()),
              gateway.draining() ? ", draining" : "");
    page.gap();
    show_calls(gateway.waiting_room().queue(), gateway.config().brigada.admission, page);
    show_upstreams(gateway, gateway.loop().now(), page);
    show_ledger(gateway.ledger().backlog(), page);
    show_books(gateway, page);
    page.line("outgoing");
    page.line("  log lines dropped: {}", gateway.seen().log().dropped());
    show_outgoing("spans", gateway.seen().span_counts(), page);
    show_outgoing("alerts", gateway.seen().alert_counts(), page);
    page.line("loop: {} stalls", gateway.loop().stalls());
    return page.take();
}

}  // namespace brigada
