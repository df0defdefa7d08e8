#include "net/http_parser.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace brigada {
namespace {

constexpr size_t kOneByte = 1;

struct Outcome {
    int status = 0;  // 0: needs more; 200: complete; else the error's
    std::string target, body;
    size_t used = 0;
    bool operator==(const Outcome&) const = default;
};

// Feeds in portions, through body_room() when `in_place`.
Outcome parse(std::string_view bytes, const std::function<size_t()>& portion,
              const HttpLimits& limits = {}, bool in_place = false) {
    BodyPool bodies;
    RequestParser parser(limits, bodies);
    size_t at = 0;
    while (at < bytes.size() && !parser.complete() && !parser.error()) {
        const std::string_view next = bytes.substr(at, portion());
        if (const auto room = parser.body_room(); in_place && !room.empty()) {
            const size_t size = std::min(room.size(), next.size());
            std::ranges::copy(next.substr(0, size), room.begin());
            parser.body_filled(size);
            at += size;
        } else {
            at += parser.feed(next);
        }
    }
    if (parser.error()) return {parser.error()->status, "", "", 0};
    if (!parser.complete()) return {};
    const HttpRequest& request = parser.request();
    if (!request.body.empty()) {
        EXPECT_GE(request.body.capacity(), request.body.size() + kBodyPadding);
    }
    return {200, request.target, request.body, at};
}

Outcome parse_whole(std::string_view bytes, const HttpLimits& limits = {}) {
    return parse(bytes, [&] { return bytes.size(); }, limits);
}

struct Case {
    const char* what;
    std::string bytes;
    int status;
};

std::string get(std::string_view fields, std::string_view line = "GET / HTTP/1.1") {
    return concat(line, "\r\nHost: a\r\n", fields, "\r\n");
}
std::string post(std::string_view fields, std::string_view body) {
    return get(fields, "POST / HTTP/1.1") + std::string(body);
}

// What RFC 9110 and RFC 9112 say of each, written down by hand.
std::vector<Case> conformance() {
    return {
        {"plain", get(""), 200},
        {"empty lines first", "\r\n\r\n" + get(""), 200},
        {"http/1.0 without host", "GET / HTTP/1.0\r\n\r\n", 200},
        {"http/1.7 is 1.1", get("", "GET / HTTP/1.7"), 200},
        {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
        {"two hosts", get("Host: b\r\n"), 400},
        {"host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
        {"empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 200},
        {"absolute target", get("", "GET http://h:1/p?q HTTP/1.1"), 200},
        {"absolute target with user", get("", "GET http://u@h/ HTTP/1.1"), 400},
        {"asterisk", get("", "OPTIONS * HTTP/1.1"), 200},
        {"asterisk for get", get("", "GET * HTTP/1.1"), 400},
        {"relative target", get("", "GET x HTTP/1.1"), 400},
        {"fragment", get("", "GET /#x HTTP/1.1"), 400},
        {"space in target", get("", "GET /a b HTTP/1.1"), 400},
        {"two spaces", get("", "GET  / HTTP/1.1"), 400},
        {"tab as space", get("", "GET\t/ HTTP/1.1"), 400},
        {"raw utf-8 in target", get("", "GET /\xc3\xa9 HTTP/1.1"), 400},
        {"broken escape", get("", "GET /%zz HTTP/1.1"), 400},
        {"escaped nul", get("", "GET /%00 HTTP/1.1"), 400},
        {"http/0.9", "GET /\r\n\r\n", 400},
        {"http/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        {"http/3", get("", "GET / HTTP/3.0"), 505},
        {"lower case version", get("", "GET / http/1.1"), 400},
        {"unknown method", get("", "BREW / HTTP/1.1"), 501},
        {"connect", get("", "CONNECT h:1 HTTP/1.1"), 501},
        {"lower case method", get("", "get / HTTP/1.1"), 501},
        {"method that is no token", get("", "G(T / HTTP/1.1"), 400},
        {"tls", std::string("\x16\x03\x01\x02", 4), 400},
        {"bare lf", "GET / HTTP/1.1\nHost: a\n\n", 400},
        {"bare lf in fields", "GET / HTTP/1.1\r\nHost: a\nx: y\r\n\r\n", 400},
        {"bare cr in value", get("x: a\rb\r\n"), 400},
        {"nul in value", get(std::string_view("x: a\0b\r\n", 8)), 400},
        {"space before colon", get("x : y\r\n"), 400},
        {"no colon", get("xy\r\n"), 400},
        {"no name", get(": y\r\n"), 400},
        {"folded", get("x: y\r\n z\r\n"), 400},
        {"latin-1 value", get("x: \xe9\r\n"), 200},
        {"length", post("Content-Length: 3\r\n", "abc"), 200},
        {"length 0", post("Content-Length: 0\r\n", ""), 200},
        {"body cut", post("Content-Length: 4\r\n", "abc"), 0},
        {"length twice", post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"), 400},
        {"two lengths", post("Content-Length: 3\r\nContent-Length: 4\r\n", "abc"), 400},
        {"length list", post("Content-Length: 3, 3\r\n", "abc"), 400},
        {"signed length", post("Content-Length: +3\r\n", "abc"), 400},
        {"negative length", post("Content-Length: -1\r\n", "abc"), 400},
        {"hex length", post("Content-Length: 0x3\r\n", "abc"), 400},
        {"empty length", post("Content-Length:\r\n", "abc"), 400},
        {"length of 2^64", post("Content-Length: 18446744073709551616\r\n", "abc"), 400},
        {"length of 2^64 - 1", post("Content-Length: 18446744073709551615\r\n", "abc"), 413},
        {"chunked", post("Transfer-Encoding: Chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"), 200},
        {"chunk extension", post("Transfer-Encoding: chunked\r\n", "1;a=\"b\"\r\nx\r\n0\r\n\r\n"),
         200},
        {"trailer", post("Transfer-Encoding: chunked\r\n", "0\r\nx: y\r\n\r\n"), 200},
        {"broken trailer", post("Transfer-Encoding: chunked\r\n", "0\r\nx y\r\n\r\n"), 400},
        {"length and chunked",
         post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
        {"chunked twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", ""),
         400},
        {"chunked, chunked", post("Transfer-Encoding: chunked, chunked\r\n", ""), 501},
        {"gzip", post("Transfer-Encoding: gzip\r\n", ""), 501},
        {"gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n", ""), 501},
        {"xchunked", post("Transfer-Encoding: xchunked\r\n", ""), 501},
        {"chunked in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        {"empty chunk size", post("Transfer-Encoding: chunked\r\n", "\r\nabc"), 400},
        {"chunk size with blank", post("Transfer-Encoding: chunked\r\n", "3 \r\nabc\r\n"), 400},
        {"signed chunk size", post("Transfer-Encoding: chunked\r\n", "+3\r\nabc\r\n"), 400},
        {"0x chunk size", post("Transfer-Encoding: chunked\r\n", "0x3\r\nabc\r\n"), 400},
        {"chunk size of 2^64", post("Transfer-Encoding: chunked\r\n", "10000000000000000\r\n"),
         400},
        {"chunk longer than said", post("Transfer-Encoding: chunked\r\n", "3\r\nabcd\r\n"), 400},
        {"chunk ended by lf", post("Transfer-Encoding: chunked\r\n", "3\r\nabc\n0\r\n\r\n"), 400},
        {"chunk size ended by lf", post("Transfer-Encoding: chunked\r\n", "3\nabc\r\n"), 400},
        {"expectation", post("Content-Length: 1\r\nExpect: 100-continue\r\n", "a"), 200},
        {"other expectation", post("Content-Length: 1\r\nExpect: tea\r\n", "a"), 417},
    };
}

TEST(RequestParser, answers_as_the_standard_says) {
    for (const Case& c : conformance())
        EXPECT_EQ(parse_whole(c.bytes).status, c.status) << c.what;
}

TEST(RequestParser, gives_the_same_however_the_bytes_are_cut) {
    Rng rng(1);
    for (const Case& c : conformance()) {
        SCOPED_TRACE(c.what);
        const Outcome whole = parse_whole(c.bytes);
        EXPECT_EQ(parse(c.bytes, [] { return kOneByte; }), whole);
        EXPECT_EQ(parse(c.bytes, [] { return kOneByte; }, {}, true), whole);
        for (size_t cut = 1; cut < c.bytes.size(); ++cut) {
            size_t portions = 0;
            const auto two = [&] { return portions++ == 0 ? cut : c.bytes.size(); };
            ASSERT_EQ(parse(c.bytes, two), whole) << "cut at " << cut;
        }
        for (int i = 0; i < 20; ++i)
            ASSERT_EQ(parse(c.bytes, [&] { return 1 + rng.below(9); }, {}, true), whole);
    }
}

TEST(RequestParser, takes_the_parts_of_a_request) {
    BodyPool bodies;
    RequestParser parser{HttpLimits(), bodies};
    const std::string bytes =
        "POST http://box:4000/v1/a%20b?beta=true HTTP/1.1\r\nHost: box\r\n"
        "X-Two: 1\r\nx-two:\t 2 \t\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhelloGET";
    EXPECT_EQ(parser.feed(bytes), bytes.size() - 3);
    ASSERT_TRUE(parser.complete());
    const HttpRequest& request = parser.request();
    EXPECT_EQ(request.method, HttpMethod::post);
    EXPECT_EQ(request.target, "/v1/a%20b?beta=true");
    EXPECT_EQ(request.path, "/v1/a b");
    EXPECT_EQ(request.query, "beta=true");
    EXPECT_EQ(request.headers.get_all("x-two"), (std::vector<std::string_view>{"1", "2"}));
    EXPECT_EQ(request.body, "hello");
    EXPECT_FALSE(request.keep_alive);
}

TEST(RequestParser, gives_an_absolute_target_without_path_the_root) {
    EXPECT_EQ(parse_whole(get("", "GET http://h HTTP/1.1")).target, "/");
    EXPECT_EQ(parse_whole(get("", "GET HTTPS://h?q HTTP/1.1")).target, "/?q");
}

TEST(RequestParser, knows_when_a_connection_is_kept) {
    const auto kept = [](const std::string& bytes) {
        BodyPool bodies;
        RequestParser parser{HttpLimits(), bodies};
        parser.feed(bytes);
        EXPECT_TRUE(parser.complete());
        return parser.request().keep_alive;
    };
    EXPECT_TRUE(kept(get("")));
    EXPECT_FALSE(kept(get("Connection: foo, Close\r\n")));
    EXPECT_FALSE(kept("GET / HTTP/1.0\r\n\r\n"));
    EXPECT_TRUE(kept("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"));
}

TEST(RequestParser, holds_each_limit_exactly) {
    HttpLimits limits;
    limits.target_bytes = 10;
    limits.head_bytes = 100;
    limits.header_count = 3;
    limits.body_bytes = 5;
    const auto status = [&](const std::string& bytes) {
        const Outcome whole = parse_whole(bytes, limits);
        EXPECT_EQ(parse(bytes, [] { return kOneByte; }, limits), whole) << bytes;
        return whole.status;
    };
    EXPECT_EQ(status(get("", "GET /123456789 HTTP/1.1")), 200);
    EXPECT_EQ(status(get("", "GET /1234567890 HTTP/1.1")), 414);
    EXPECT_EQ(status(get("", "GET /" + std::string(500, 'x') + " HTTP/1.1")), 414);
    EXPECT_EQ(status(get("a: b\r\nc: d\r\n")), 200);
    EXPECT_EQ(status(get("a: b\r\nc: d\r\ne: f\r\n")), 431);
    const std::string rest = get("");
    const auto padded = [&](size_t size) {
        return get("a: " + std::string(size - rest.size() - 5, 'x') + "\r\n");
    };
    ASSERT_EQ(padded(100).size(), 100u);
    EXPECT_EQ(status(padded(100)), 200);
    EXPECT_EQ(status(padded(101)), 431);
    EXPECT_EQ(status(std::string(400, '\r')), 414);
    std::string empty_lines;
    for (int i = 0; i < 60; ++i)
        empty_lines += "\r\n";
    EXPECT_EQ(status(empty_lines + get("")), 414);
    EXPECT_EQ(status(post("Content-Length: 5\r\n", "12345")), 200);
    EXPECT_EQ(status(post("Content-Length: 6\r\n", "")), 413);
    EXPECT_EQ(status(post("Transfer-Encoding: chunked\r\n", "5\r\n12345\r\n0\r\n\r\n")), 200);
    EXPECT_EQ(status(post("Transfer-Encoding: chunked\r\n", "5\r\n12345\r\n1\r\n6\r\n0\r\n\r\n")),
              413);
}

TEST(RequestParser, allocates_for_what_came_not_for_what_was_declared) {
    BodyPool bodies;
    RequestParser parser{HttpLimits(), bodies};
    parser.feed(post("Content-Length: 8388608\r\n", ""));
    EXPECT_FALSE(parser.body_room().empty());
    EXPECT_LE(parser.buffered_bytes(), 1u << 21);
    while (!parser.complete()) {
        const std::span<char> room = parser.body_room();
        ASSERT_FALSE(room.empty());
        const size_t size = std::min<size_t>(room.size(), 100'000);
        std::fill_n(room.begin(), size, 'x');
        parser.body_filled(size);
        ASSERT_LE(parser.buffered_bytes(), 3 * parser.body_received() + (1 << 21));
    }
    EXPECT_EQ(parser.request().body, std::string(8'388'608, 'x'));
}

TEST(ChunkDecoder, returns_what_was_chunked_for_any_chunks_and_cuts) {
    Rng rng(7);
    for (int round = 0; round < 300; ++round) {
        std::string body, coded;
        for (uint64_t chunks = rng.below(6); chunks > 0; --chunks) {
            const std::string data(1 + rng.below(40), static_cast<char>('a' + rng.below(26)));
            body += data;
            coded += fmt::format("{:x}\r\n{}\r\n", data.size(), data);
        }
        coded += "0\r\n\r\n";
        ChunkDecoder decoder;
        std::string decoded;
        std::string_view rest = coded;
        while (!decoder.done()) {
            ASSERT_FALSE(rest.empty());
            const auto step = decoder.next(rest.substr(0, 1 + rng.below(20)));
            ASSERT_TRUE(step.ok());
            decoded.append(step->data);
            rest.remove_prefix(step->used);
        }
        ASSERT_EQ(decoded, body);
        ASSERT_TRUE(rest.empty());
    }
}

struct ResponseOutcome {
    bool ok = true;
    bool complete = false;
    bool reusable = false;
    int status = 0;
    std::string body = {};
    bool operator==(const ResponseOutcome&) const = default;
};

ResponseOutcome parse_response(std::string_view bytes, size_t portion,
                               HttpMethod method = HttpMethod::get) {
    ResponseParser parser(method, 1'000, 10);
    ResponseOutcome out;
    while (!bytes.empty() && !parser.complete() && out.ok) {
        const auto step = parser.next(bytes.substr(0, portion));
        out.ok = step.ok();
        if (!out.ok) return {false};
        out.body.append(step->data);
        bytes.remove_prefix(step->used);
    }
    out.ok = parser.end().ok();
    out.complete = parser.complete();
    out.reusable = parser.reusable();
    out.status = parser.head().status;
    return out;
}

TEST(ResponseParser, reads_every_framing_however_it_is_cut) {
    const std::string ok = "HTTP/1.1 200 OK\r\n";
    const std::vector<std::pair<std::string, ResponseOutcome>> cases = {
        {ok + "content-length: 3\r\n\r\nabc", {true, true, true, 200, "abc"}},
        {ok + "content-length: 3\r\ncontent-length: 3\r\n\r\nabc", {true, true, true, 200, "abc"}},
        {ok + "content-length: 3\r\n\r\nab", {false, false, false, 200, "ab"}},
        {ok + "content-length: 0\r\n\r\n", {true, true, true, 200, ""}},
        {ok + "\r\nto the end", {true, true, false, 200, "to the end"}},
        {ok + "transfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
         {true, true, true, 200, "abc"}},
        {ok + "transfer-encoding: chunked\r\n\r\n2\r\nab\r\n", {false, false, false, 200, "ab"}},
        {ok + "connection: close\r\ncontent-length: 1\r\n\r\na", {true, true, false, 200, "a"}},
        {"HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na", {true, true, false, 200, "a"}},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204\r\n\r\n", {true, true, true, 204, ""}},
        {"HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n", {true, true, true, 304, ""}},
        {ok + "content-length: 1\r\ncontent-length: 2\r\n\r\nab", {false}},
        {ok + "content-length: 1\r\ntransfer-encoding: chunked\r\n\r\na", {false}},
        {ok + "transfer-encoding: gzip\r\n\r\na", {false}},
        {"HTTP/1.1 101 Switching Protocols\r\n\r\n", {false}},
        {"HTTP/2 200 OK\r\n\r\n", {false}},
        {"HTTP/1.1 20 OK\r\n\r\n", {false}},
        {"HTTP/1.1 2000 OK\r\n\r\n", {false}},
        {ok + "x: " + std::string(1'000, 'x') + "\r\n\r\n", {false}},
    };
    for (const auto& [bytes, expected] : cases) {
        EXPECT_EQ(parse_response(bytes, bytes.size()), expected) << bytes;
        for (size_t portion : {1, 2, 3, 7, 20})
            EXPECT_EQ(parse_response(bytes, portion), expected) << bytes;
    }
}

TEST(ResponseParser, knows_whether_the_connection_is_kept_when_its_head_was_taken) {
    for (const bool keeps : {true, false}) {
        const std::string bytes =
            concat("HTTP/1.1 200 OK\r\n", keeps ? "" : "connection: close\r\n",
                   "content-length: 0\r\n\r\n");
        ResponseParser parser(HttpMethod::get, 1'000, 10);
        for (std::string_view rest = bytes; !parser.complete();)
            rest.remove_prefix(parser.next(rest).value().used);
        EXPECT_EQ(parser.take_head().headers.get("content-length"), "0");
        EXPECT_EQ(parser.reusable(), keeps);
    }
}

TEST(ResponseParser, expects_no_body_after_head) {
    const std::string bytes = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n";
    EXPECT_EQ(parse_response(bytes, 5, HttpMethod::head),
              (ResponseOutcome{true, true, true, 200, ""}));
}

}  // namespace
}  // namespace brigada
