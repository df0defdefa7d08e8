// The parser of responses: http_parser.h.
#include <algorithm>

#include "base/check.h"
#include "net/http_parser.h"

namespace brigada {

namespace {

Error corrupt(std::string message) {
    return {Code::corrupt, std::move(message)};
}

}  // namespace

Result<ResponseParser::Step> ResponseParser::next(std::string_view bytes) {
    switch (state_) {
        case State::complete:
            return Step{};
        case State::until_close:
            return Step{bytes.size(), bytes};
        case State::body: {
            const auto size = static_cast<size_t>(std::min<uint64_t>(missing_, bytes.size()));
            missing_ -= size;
            if (missing_ == 0) state_ = State::complete;
            return Step{size, bytes.substr(0, size)};
        }
        case State::chunks: {
            Result<ChunkDecoder::Step> step = chunks_.next(bytes);
            if (!step.ok()) return corrupt("the response's chunks: " + step.error().message);
            if (chunks_.done()) state_ = State::complete;
            return Step{step->used, step->data};
        }
        case State::start_line:
        case State::fields:
            return next_line(bytes);
    }
    CHECK(false);
    return Step{};
}

Result<ResponseParser::Step> ResponseParser::next_line(std::string_view bytes) {
    const LineReader::Step step = lines_.next(bytes, max_head_bytes_ - head_bytes_);
    if (step.state == LineReader::State::too_long)
        return corrupt(concat("the response's head is longer than ", max_head_bytes_, " bytes"));
    if (step.state == LineReader::State::bare_lf)
        return corrupt("a line of the response's head ends without CR");
    if (step.state == LineReader::State::line) {
        head_bytes_ += step.line.size() + 2;
        TRY(take_line(step.line));
    }
    return Step{step.used, {}};
}

Result<void> ResponseParser::take_line(std::string_view line) {
    if (state_ == State::start_line) {
        TRY(parse_status_line(line, head_));
        state_ = State::fields;
        return {};
    }
    if (line.empty()) return end_head();
    if (head_.headers.size() >= max_headers_)
        return corrupt(concat("the response has more than ", max_headers_, " header fields"));
    if (Result<void> field = parse_field_line(line, head_.headers); !field.ok())
        return corrupt("the response: " + field.error().message);
    return {};
}

Result<void> ResponseParser::end_head() {
    using Kind = BodyFraming::Kind;
    if (head_.status == 101) return corrupt("the response switches protocols, unasked");
    if (head_.status < 200) {
        head_ = {};
        state_ = State::start_line;  // head_bytes_ goes on: endless interim responses run out of it
        return {};
    }
    keep_alive_ = head_.minor_version >= 1 ? !head_.headers.lists("connection", "close")
                                           : head_.headers.lists("connection", "keep-alive");
    TRY(const BodyFraming framing, response_framing(head_, method_));
    missing_ = framing.length;
    if (framing.kind == Kind::none) state_ = State::complete;
    if (framing.kind == Kind::length) state_ = State::body;
    if (framing.kind == Kind::chunked) state_ = State::chunks;
    if (framing.kind == Kind::until_close) state_ = State::until_close;
    return {};
}

Result<void> ResponseParser::end() {
    if (state_ == State::until_close) {
        ended_by_close_ = true;
        state_ = State::complete;
    }
    if (state_ == State::complete) return {};
    return corrupt(head_complete() ? "the response's body was cut short"
                                   : "the connection closed before a response came");
}

bool ResponseParser::reusable() const {
    return complete() && keep_alive_ && !ended_by_close_;
}

}  // namespace brigada
