// CallFacts: what is told of a call when it is over, whatever became of it: by the log in a line,
// by the tracer in spans. Nothing of it is a secret or a piece of a prompt.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/money.h"
#include "base/usage.h"
#include "base/wall_time.h"
#include "dialect/dialect.h"
#include "gateway/directory/caller.h"
#include "gateway/seen/trace_context.h"
#include "ledger/call_record.h"

namespace brigada {

/// One try at one upstream.
struct AttemptFacts {
    SpanId span = {};
    std::string upstream = {};  // the deployment's id
    std::string provider = {};
    std::string model = {};  // as the upstream calls it
    std::string host = {};
    uint16_t port = 0;
    WallTime started = {};
    WallTime ended = {};
    CallStatus status = CallStatus::ok;
    int http_status = 0;  // 0: no answer came
};

struct CallFacts {
    std::string id = {};
    std::string path = {};
    Dialect dialect = Dialect::chat;
    WallTime started = {};
    WallTime first_byte = {};  // 0: none was sent
    WallTime ended = {};
    CallerRef caller = {};  // null: nobody we know
    std::string end_user = {};
    std::string session = {};
    std::string model_asked = {};
    std::string model_served = {};
    bool stream = false;
    bool from_cache = false;
    std::optional<int64_t> max_output = {};
    int http_status = 0;  // what the client saw
    CallStatus status = CallStatus::ok;
    std::string refusal = {};  // the type of the error the client was given; "" for none
    std::string message = {};  // and its words
    int64_t body_bytes = 0;
    Usage usage = {};
    bool usage_counted_here = false;
    Money cost = {};
    std::vector<AttemptFacts> attempts = {};
};

}  // namespace brigada
