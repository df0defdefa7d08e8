// Http2Stream: one call on an Http2Connection, as the frames have left it so far. The connection
// fills it and says that it changed; the exchange that owns it sleeps until then. Private to the
// client.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/http.h"
#include "net/signal.h"

namespace brigada {

/// Loop thread only.
struct Http2Stream {
    explicit Http2Stream(LoopExecutor executor) : changed(executor) {}

    // --- the request's body ---
    std::vector<std::string_view> pieces = {};  // what is left of it, none empty
    std::string kept = {};                      // what `pieces` name, once the caller's is gone
    Instant moved = {};                         // when the connection took some of it last

    // --- the answer ---
    HttpResponseHead head = {};
    size_t head_bytes = 0;
    bool has_head = false;  // of the final response
    std::string body = {};  // that has come and was not read yet
    bool ended = false;     // nothing comes after `body`

    int32_t id = -1;
    std::optional<Error> broken = {};  // why nothing more comes, where that was not the end
    bool untouched = false;            // the peer says it has not looked at this call
    bool aborted = false;              // by us

    Signal changed;

    bool sent_all() const { return pieces.empty(); }
    /// Takes up to `bytes` off the body and hands each part to `put`.
    template <typename Put>
    void take(size_t bytes, const Put& put);
    /// The caller's body ends its life: keeps what was not sent.
    void keep_rest();
};

template <typename Put>
void Http2Stream::take(size_t bytes, const Put& put) {
    size_t whole = 0;
    while (bytes > 0) {
        std::string_view& front = pieces[whole];
        const std::string_view part = front.substr(0, bytes);
        put(part);
        bytes -= part.size();
        front.remove_prefix(part.size());
        if (front.empty()) ++whole;
    }
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(whole));
}

inline void Http2Stream::keep_rest() {
    std::string rest;
    for (const std::string_view part : pieces)
        rest += part;
    kept = std::move(rest);
    pieces.clear();
    if (!kept.empty()) pieces.push_back(kept);
}

}  // namespace brigada
