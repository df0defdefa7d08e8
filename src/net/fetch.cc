#include "net/fetch.h"

#include <latch>

namespace brigada {

namespace {

Task<Result<Fetched>> exchange_whole(HttpClient& client, const HttpCall& call, size_t max_bytes) {
    HttpExchange exchange(client);
    CO_TRY(HttpResponseHead head, co_await exchange.start(call));
    CO_TRY(std::string body, co_await exchange.read_all(max_bytes));
    co_return Fetched{
        .status = head.status, .headers = std::move(head.headers), .body = std::move(body)};
}

Task<void> fetch_into(HttpClient& client, const HttpCall& call, size_t max_bytes,
                      Result<Fetched>& answer, std::latch& done) {
    answer = co_await exchange_whole(client, call, max_bytes);
    done.count_down();
}

}  // namespace

Fetcher::Fetcher() : loop_("fetch"), client_(std::make_unique<HttpClient>(loop_)) {}

Fetcher::~Fetcher() {
    (void)loop_.run([this] { client_.reset(); });
}

Result<Fetched> Fetcher::fetch(const HttpCall& call, size_t max_bytes) {
    return fetch_all({&call, 1}, max_bytes).front();
}

std::vector<Result<Fetched>> Fetcher::fetch_all(std::span<const HttpCall> calls, size_t max_bytes) {
    std::vector<Result<Fetched>> answers(calls.size(),
                                         Error{Code::unavailable, "too many calls at once"});
    std::latch done(static_cast<std::ptrdiff_t>(calls.size()));
    for (size_t i = 0; i < calls.size(); ++i)
        if (!loop_.spawn(fetch_into(*client_, calls[i], max_bytes, answers[i], done)))
            done.count_down();
    done.wait();
    return answers;
}

}  // namespace brigada
