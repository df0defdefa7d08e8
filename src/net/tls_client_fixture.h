// TlsClientFixture: an HttpClient on a loop of its own, for tests that call TLS servers.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "base/concat.h"
#include "net/fake_authority.h"
#include "net/http_client.h"
#include "net/raw_tls_server.h"
#include "net/tls_context.h"

namespace brigada {

/// A file of the running test.
inline std::string write_test_file(const std::string& name, const std::string& text) {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    const std::string path =
        concat(testing::TempDir(), "/", info->test_suite_name(), ".", info->name(), ".", name);
    std::ofstream(path) << text;
    return path;
}

class TlsClientFixture : public testing::Test {
  protected:
    void SetUp() override {
        loop_.run([this] { client_ = std::make_unique<HttpClient>(loop_); });
        trusting_ = open({.ca_file = write_test_file("ca", authority_.pem())});
    }
    void TearDown() override {
        loop_.run([this] { client_.reset(); });
    }

    static std::shared_ptr<TlsContext> open(const TlsSettings& settings) {
        auto context = TlsContext::open(settings);
        EXPECT_TRUE(context.ok()) << (context.ok() ? "" : context.error().message);
        return context.ok() ? *context : nullptr;
    }

    HttpCall call(uint16_t port, const std::string& host = "localhost") const {
        return {.method = HttpMethod::post,
                .host = host,
                .port = port,
                .tls = trusting_,
                .timeouts = {.connect = Duration::seconds(10),
                             .first_byte = Duration::seconds(10),
                             .between_bytes = Duration::seconds(10)}};
    }

    /// The body of the answer, or what went wrong on the way to it.
    Result<std::string> ask(const HttpCall& call) {
        std::promise<Result<std::string>> answer;
        const auto task = [&]() -> Task<void> { answer.set_value(co_await whole(call)); };
        EXPECT_TRUE(loop_.spawn(task()));
        return answer.get_future().get();
    }
    std::string body_of(const HttpCall& call) {
        const auto body = ask(call);
        return body.ok() ? *body : concat("error: ", body.error().message);
    }
    std::string fault_of(const HttpCall& call) {
        const auto body = ask(call);
        return body.ok() ? concat("answered: ", body->substr(0, 100)) : body.error().message;
    }

    Task<Result<std::string>> whole(HttpCall call) {
        HttpExchange exchange(*client_);
        exchange_ = &exchange;
        const auto head = co_await exchange.start(call);
        if (!head.ok()) co_return head.error();
        co_return co_await exchange.read_all(64 << 20);
    }

    Loop loop_{"client"};
    FakeAuthority authority_;
    std::shared_ptr<TlsContext> trusting_;  // trusts the authority
    std::unique_ptr<HttpClient> client_;
    HttpExchange* exchange_ = nullptr;  // begun last; loop thread
};

}  // namespace brigada
