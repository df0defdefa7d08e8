// gateway_load: drives one target with a fixed number of connections and prints what it saw as one
// line of JSON. bench.py and steady.py start it and the targets. In a run each connection calls
// again as soon as it has its answer; in steps each calls once in so many milliseconds, at a time
// of its own, so that the calls are spread evenly.
//
//   gateway_load mock PORT                       serves the mock engine until its input ends
//   gateway_load run PORT PATH BODYFILE CONNECTIONS SECONDS [HEADER:VALUE ...]
//   gateway_load steps PORT PATH BODYFILE CONNECTIONS SECONDS EVERY_MS [HEADER:VALUE ...]
//                                                prints every time; "00000000" in the body is a new
//                                                number in each call
//   gateway_load hold PORT PATH BODYFILE STREAMS [HEADER:VALUE ...]
//                                                opens streams, prints a line, holds until input
//                                                ends
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cstdlib>
#include <future>
#include <iostream>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/concat.h"
#include "base/file.h"
#include "gateway_bench/mock_engine.h"
#include "net/http_client.h"
#include "net/signal.h"

namespace brigada {

namespace {

struct Target {
    HttpCall call = {};
    std::string body = {};
    int connections = 1;
    Duration every = {};  // in steps
};

/// What all connections of one run have seen. Loop thread only.
struct Seen {
    std::vector<int64_t> first_byte_ns = {};  // from the call to the first byte of a body
    std::vector<int64_t> gap_ns = {};         // between two reads of one stream
    int64_t errors = 0;
    std::string first_error = {};
    int running = 0;
    std::promise<void> over = {};  // nobody runs any more

    void fail(const std::string& why) {
        if (errors++ == 0) first_error = why;
    }
};

void wait_for_end_of_input() {
    std::string line;
    while (std::getline(std::cin, line)) {
    }
}

Task<bool> one_call(HttpClient& client, const Target& target, Loop& loop, Seen& seen) {
    const Instant began = loop.now();
    HttpExchange exchange(client);
    const auto head = co_await exchange.start(target.call);
    if (!head.ok() || head->status != 200) {
        seen.fail(head.ok() ? concat("status ", head->status) : head.error().message);
        co_return false;
    }
    Instant last = began;
    for (bool is_first = true;; is_first = false) {
        const auto bytes = co_await exchange.read();
        if (!bytes.ok()) {
            seen.fail(bytes.error().message);
            co_return false;
        }
        if (bytes->empty()) co_return true;
        const Instant now = loop.now();
        (is_first ? seen.first_byte_ns : seen.gap_ns).push_back((now - last).ns());
        last = now;
    }
}

Task<void> call_until(HttpClient& client, const Target& target, Loop& loop, Instant end,
                      Seen& seen) {
    Signal pause(loop.executor());
    while (loop.now() < end)
        if (!co_await one_call(client, target, loop, seen))
            co_await pause.wait(Duration::milliseconds(10));
    if (--seen.running == 0) seen.over.set_value();
}

/// The body with a number of its own in it, so that nobody has seen any part of it before.
void renew(std::string& body, int number) {
    const std::string text = fmt::format("{:08}", number);
    for (size_t at = body.find("00000000"); at != body.npos; at = body.find("00000000", at))
        body.replace(at, text.size(), text);
}

/// The connection of this number, of all that take steps together.
Task<void> call_in_steps(HttpClient& client, const Target& target, int number, Loop& loop,
                         Instant begin, Instant end, Seen& seen) {
    Signal pause(loop.executor());
    const Duration phase = target.every * number / target.connections;
    int calls = 0;
    for (Instant next = begin + phase; next < end; next = next + target.every) {
        if (next > loop.now()) co_await pause.wait(next - loop.now());
        std::string body = target.body;
        renew(body, ++calls * target.connections + number);
        Target fresh{.call = target.call};
        fresh.call.body = {body};
        (void)co_await one_call(client, fresh, loop, seen);
    }
    if (--seen.running == 0) seen.over.set_value();
}

int64_t percentile(std::vector<int64_t>& values, double part) {
    if (values.empty()) return 0;
    const auto at = static_cast<size_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at),
                     values.end());
    return values[at];
}

std::string percentiles(std::string_view name, std::vector<int64_t>& values) {
    const auto us = [&](double part) {
        return static_cast<double>(percentile(values, part)) / 1'000.0;
    };
    return concat("\"", name, "_us\":{\"p50\":", us(0.5), ",\"p99\":", us(0.99),
                  ",\"max\":", us(1.0), "}");
}

std::string list(std::string_view name, const std::vector<int64_t>& values) {
    return fmt::format("\"{}_ns\":[{}]", name, fmt::join(values, ","));
}

void run(const Target& target, double seconds) {
    Loop loop("load");
    Seen seen;
    seen.running = target.connections;
    const Instant began = loop.now();
    const Instant end = began + Duration::milliseconds(static_cast<int64_t>(seconds * 1'000));
    std::unique_ptr<HttpClient> client;
    CHECK(loop.run([&] {
        client = std::make_unique<HttpClient>(loop, HttpClientOptions{.idle_per_host = 10'000});
    }));
    const bool is_in_steps = target.every > Duration();
    for (int i = 0; i < target.connections; ++i)
        CHECK(loop.spawn(is_in_steps ? call_in_steps(*client, target, i, loop, began, end, seen)
                                     : call_until(*client, target, loop, end, seen)));
    seen.over.get_future().wait();
    const double took = static_cast<double>((loop.now() - began).ns()) / 1e9;
    const size_t calls = seen.first_byte_ns.size();
    std::cout << concat("{\"calls\":", calls, ",\"errors\":", seen.errors, ",\"seconds\":", took,
                        ",\"first_error\":\"", seen.first_error, "\",",
                        is_in_steps ? list("first_byte", seen.first_byte_ns)
                                    : percentiles("first_byte", seen.first_byte_ns),
                        ",",
                        is_in_steps ? list("gap", seen.gap_ns) : percentiles("gap", seen.gap_ns),
                        "}")
              << std::endl;
    CHECK(loop.run([&] { client.reset(); }));
}

/// Opens a stream and stays in it.
Task<void> hold_one(HttpClient& client, const Target& target, Seen& seen, Signal& changed) {
    HttpExchange exchange(client);
    const auto head = co_await exchange.start(target.call);
    if (!head.ok() || head->status != 200) {
        seen.fail(head.ok() ? concat("status ", head->status) : head.error().message);
        changed.notify();
        co_return;
    }
    while (true) {
        const auto bytes = co_await exchange.read();
        if (!bytes.ok() || bytes->empty()) co_return;
        ++seen.running;
        changed.notify();
    }
}

Task<void> hold_all(HttpClient& client, const Target& target, Loop& loop, Seen& seen,
                    Signal& changed) {
    for (int i = 0; i < target.connections; ++i) {
        boost::asio::co_spawn(loop.context(), hold_one(client, target, seen, changed),
                              boost::asio::detached);
        while (seen.running + seen.errors <= i)
            co_await changed.wait();
    }
    std::cout << concat("{\"streams\":", seen.running, ",\"errors\":", seen.errors,
                        ",\"first_error\":\"", seen.first_error, "\"}")
              << std::endl;
}

void hold(const Target& target) {
    Loop loop("hold");
    Seen seen;
    std::unique_ptr<HttpClient> client;
    std::unique_ptr<Signal> changed;
    CHECK(loop.run([&] {
        client = std::make_unique<HttpClient>(loop);
        changed = std::make_unique<Signal>(loop.executor());
    }));
    CHECK(loop.spawn(hold_all(*client, target, loop, seen, *changed)));
    wait_for_end_of_input();
    std::_Exit(0);  // the streams are cut, as when a client dies
}

Target target_of(std::vector<std::string> words) {
    CHECK(words.size() >= 4, "PORT PATH BODYFILE CONNECTIONS");
    Target out{.body = read_file(words[2], size_t{64} << 20).value(),
               .connections = std::stoi(words[3])};
    out.call = {.method = HttpMethod::post,
                .host = "127.0.0.1",
                .port = static_cast<uint16_t>(std::stoi(words[0])),
                .target = words[1]};
    out.call.headers.add("Content-Type", "application/json");
    for (size_t i = 4; i < words.size(); ++i) {
        const size_t colon = words[i].find(':');
        CHECK(colon != std::string::npos, words[i]);
        out.call.headers.add(words[i].substr(0, colon), words[i].substr(colon + 1));
    }
    return out;
}

int main_of(std::vector<std::string> words) {
    CHECK(words.size() >= 2, "gateway_load mock|run|steps|hold ...");
    const std::string what = words[0];
    words.erase(words.begin());
    if (what == "mock") {
        MockEngine engine(static_cast<uint16_t>(std::stoi(words[0])));
        std::cout << engine.port() << std::endl;
        wait_for_end_of_input();
        return 0;
    }
    double seconds = 0;
    Duration every;
    if (what == "run" || what == "steps") {
        seconds = std::stod(words.at(4));
        words.erase(words.begin() + 4);
    }
    if (what == "steps") {
        every = Duration::milliseconds(std::stol(words.at(4)));
        words.erase(words.begin() + 4);
    }
    Target target = target_of(words);
    target.call.body = {target.body};
    target.every = every;
    if (what == "hold")
        hold(target);
    else
        run(target, seconds);
    return 0;
}

}  // namespace

}  // namespace brigada

int main(int argc, char** argv) {
    return brigada::main_of({argv + 1, argv + argc});
}
