#include "net/fetch.h"

#include <gtest/gtest.h>

#include "base/concat.h"
#include "net/http_server.h"

namespace brigada {
namespace {

class FetcherTest : public ::testing::Test {
  protected:
    FetcherTest() : loop_("server") {
        auto listening = HttpServer::listen(
            loop_, "127.0.0.1", 0, {},
            [](HttpRequest& request, Responder& responder) -> Task<void> {
                co_await responder.send(request.path == "/missing" ? 404 : 200, {},
                                        concat(request.path, " ", request.body));
            });
        server_ = std::move(listening).value();
    }
    ~FetcherTest() override { server_.reset(); }

    HttpCall call(std::string target) const {
        return {.host = "127.0.0.1", .port = server_->port(), .target = std::move(target)};
    }

    Loop loop_;
    std::unique_ptr<HttpServer> server_;
    Fetcher fetcher_;
};

TEST_F(FetcherTest, answers_are_whole_whatever_their_status) {
    EXPECT_EQ(fetcher_.fetch(call("/a"))->body, "/a ");
    EXPECT_EQ(fetcher_.fetch(call("/missing"))->status, 404);
    EXPECT_EQ(fetcher_.fetch(call("/abcdef"), 3).error().code, Code::too_large);
}

TEST_F(FetcherTest, several_at_once_keep_their_order) {
    std::vector<HttpCall> calls;
    for (int i = 0; i < 50; ++i)
        calls.push_back(call(concat("/", i)));
    const auto answers = fetcher_.fetch_all(calls);
    for (int i = 0; i < 50; ++i)
        EXPECT_EQ(answers[static_cast<size_t>(i)]->body, concat("/", i, " "));
    EXPECT_TRUE(fetcher_.fetch_all({}).empty());
}

TEST_F(FetcherTest, nobody_there_is_an_error_in_words) {
    HttpCall nobody = call("/");
    server_.reset();
    EXPECT_EQ(fetcher_.fetch(nobody).error().code, Code::unavailable);
}

}  // namespace
}  // namespace brigada
