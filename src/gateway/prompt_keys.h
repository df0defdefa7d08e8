// PromptKeys: a prompt as the router sees it, before anybody has tokenised it: the bytes of tools,
// system and messages in the order that templates render them, cut into pieces of about four KV
// blocks, each named by a key that covers all before it. Turn n + 1 of a session then extends turn
// n, whatever else moves in the body.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/dialect.h"
#include "gateway/call_body.h"
#include "kv/block_key.h"

namespace brigada {

/// The bytes of a token of English text or code.
inline constexpr int64_t kBytesPerToken = 4;

/// About. The router's block here: pieces of 16 tokens cost twice as much to hash, and four times
/// as much to remember.
inline constexpr uint32_t kPieceTokens = 64;

struct PromptKeys {
    std::vector<BlockKey> keys = {};
    int64_t bytes = 0;
};

/// Cuts a prompt into pieces as it comes and chains their keys. A copy goes on from where it is.
class PromptChain {
  public:
    /// `salt` keeps tenants apart.
    explicit PromptChain(std::string_view salt);

    void reserve(size_t bytes);

    /// The next raw JSON of the prompt, a whole field or part of a list that begins and ends
    /// between its messages. Marks that move from turn to turn without being part of the prompt
    /// (cache_control) are left out.
    void add(std::string_view part, Dialect dialect);

    PromptKeys take() { return std::move(out_); }
    size_t bytes() const;  // of memory

  private:
    void add_text(std::string_view text);
    void add_without_marks(std::string_view text);
    void close(std::string_view piece);

    std::optional<BlockKey> parent_;
    std::string piece_;
    PromptKeys out_;
};

/// Where the first mark that moves from turn to turn stands, or npos.
size_t find_cache_mark(std::string_view text);

/// Of a whole body.
PromptKeys prompt_keys(const CallBody& body, Dialect dialect, std::string_view salt);

}  // namespace brigada
