// BodyMemo: what is known of bodies from the calls before. A coding agent's next call repeats its
// last one and adds a little: what comes again is recognised by its hash, at the speed of memory,
// and reading and naming the prompt's pieces go on behind it. The result is the same as without.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gateway/call_body.h"
#include "gateway/content_key.h"
#include "gateway/prompt_keys.h"
#include "gateway/recently_used.h"

namespace brigada {

struct ReadBody {
    CallBody body = {};
    PromptKeys prompt = {};
    std::vector<ContentKey> message_keys = {};  // of body.list
};

class BodyMemo {
  public:
    /// `random` keeps anybody from guessing keys. A message has the same one wherever it stands.
    BodyMemo(size_t max_bytes, uint64_t random) : known_(max_bytes, bytes_of), random_(random) {}

    /// As read_call_body() and prompt_keys() have it. Tenants do not share what is known.
    Result<ReadBody> read(std::string_view body, Dialect dialect, std::string_view tenant);

    size_t bytes() const { return known_.bytes(); }
    /// Bodies whose beginning was known.
    uint64_t hits() const { return hits_; }

  private:
    struct Tools {
        BodySpan place = {};  // with their brackets; empty: there are none, or few
        ContentKey key = {};
    };

    /// A body up to the end of one of its messages, and its tools.
    struct KnownBody {
        size_t size;
        BodyList list;  // up to that message
        std::vector<ContentKey> message_keys;
        Tools tools;
        ContentKey content;  // of all before its end
        ContentKey around;   // of what is rendered before the list
        PromptChain chain;   // up to that message

        size_t end() const { return list.messages.back().end(); }
        BodySpan tools_in(std::string_view body) const;
    };

    /// A body, the keys of its strides, and its tools.
    struct Reading {
        std::string_view body;
        Dialect dialect;
        std::string_view tenant;
        std::vector<ContentKey> strides = {};
        Tools tools = {};
    };

    static size_t bytes_of(const KnownBody& known);
    const KnownBody* find(const Reading& reading);
    static Result<CallBody> read_on(const KnownBody& known, Reading& reading);
    static Tools tools_of(const CallBody& body, std::string_view text);
    static ContentKey around_of(const CallBody& body, const Tools& tools);
    void name_messages(const Reading& reading, const KnownBody* known, ReadBody& read) const;
    void name_pieces(Reading& reading, const KnownBody* known, ReadBody& read);
    void keep(const Reading& reading, const ReadBody& read, size_t end, const ContentKey& around,
              const PromptChain& chain);

    RecentlyUsed<KnownBody> known_;
    uint64_t random_;
    uint64_t hits_ = 0;
};

}  // namespace brigada
