// CallBody: what the front door reads of a request body, found in one pass without building a tree,
// and the edits that go on with it. The rest of the bytes are the client's and pass as they came.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/dialect.h"
#include "gateway/cache_controls.h"

namespace brigada {

/// Replaces `size` bytes at `at` of a body.
struct Splice {
    size_t at = 0;
    size_t size = 0;
    std::string text = {};
};

/// As spliced() wants them; what is put in at the place of a cut comes before it.
void put_in_order(std::vector<Splice>& splices);

/// The body with the splices made, in pieces of it and of them: nothing is copied. The splices are
/// in order and do not overlap.
std::vector<std::string_view> spliced(std::string_view body, const std::vector<Splice>& splices);

/// The fields that make the prompt, in the order in which chat templates render them.
inline constexpr std::array<std::string_view, 6> kPromptFields = {
    "tools", "system", "instructions", "messages", "input", "prompt"};
inline constexpr size_t kToolsField = 0, kSystemField = 1, kMessagesField = 3, kInputField = 4,
                        kPromptField = 5;
static_assert(kPromptFields[kToolsField] == "tools" && kPromptFields[kSystemField] == "system" &&
              kPromptFields[kMessagesField] == "messages" &&
              kPromptFields[kInputField] == "input" && kPromptFields[kPromptField] == "prompt");

/// The fields that say how a chat template renders it.
inline constexpr std::array<std::string_view, 4> kTemplateFields = {
    "tool_choice", "chat_template_kwargs", "add_generation_prompt", "continue_final_message"};

/// A part of a body.
struct BodySpan {
    size_t at = 0;
    size_t size = 0;

    size_t end() const { return at + size; }
    std::string_view in(std::string_view body) const { return body.substr(at, size); }
    friend bool operator==(const BodySpan&, const BodySpan&) = default;
};

/// The messages of `messages`, or the items of `input`, where that is a list.
struct BodyList {
    size_t field = 0;                     // which of kPromptFields
    size_t at = 0;                        // of its bracket
    std::vector<BodySpan> messages = {};  // without white space around them
};

struct CallBody {
    std::string model = {};
    bool stream = false;
    std::optional<int64_t> max_output = {};   // max_tokens and its younger names
    std::string end_user = {};                // `user`, or metadata.user_id
    std::string session = {};                 // prompt_cache_key, or metadata.session_id
    std::vector<std::string> tags = {};       // metadata.tags
    bool is_stored = true;                    // Responses: `store`, true unless said
    std::string previous_response = {};       // Responses: previous_response_id
    std::optional<Splice> previous_cut = {};  // takes it out

    std::array<std::string_view, kPromptFields.size()> prompt = {};  // raw JSON, inside the body
    /// The system prompt in the body's place, where that begins with a line that changes with every
    /// call (dialect/volatile_block.h): neither keys nor counts should see it.
    std::shared_ptr<const std::string> own_system = {};
    std::array<std::string_view, kTemplateFields.size()> rendering = {};  // the same
    BodyList list = {};

    std::string cache_salt = {};            // what the client says of whom it shares KV with
    std::optional<Splice> salt_value = {};  // where that stands

    CacheControls cache = {};                  // LiteLLM's `cache`, which no upstream knows
    std::optional<Splice> cache_cut = {};      // takes it out
    Splice model_value = {};                   // where the model's name stands
    std::optional<Splice> usage_request = {};  // asks for usage when the client did not
    bool client_wants_usage() const { return !usage_request.has_value(); }

    size_t prompt_bytes() const {
        size_t bytes = 0;
        for (const std::string_view part : prompt)
            bytes += part.size();
        return bytes;
    }
};

/// `body` may be read kBodyPadding bytes further. Errors: invalid_argument for what is no JSON
/// object, has no model or names a field with a wrong type; unknown fields are nobody's business
/// here.
Result<CallBody> read_call_body(std::string_view body, Dialect dialect);

/// Parts of a body that were read before.
struct KnownParts {
    const BodyList& list;  // all up to and with its messages, of which there is one at least
    BodySpan tools = {};   // with their brackets; empty: they are not known
};

/// The same of a body in which some parts are known: they are not read again. Any error says no
/// more than that the whole must be read.
Result<CallBody> read_call_body_but(const KnownParts& known, std::string_view body,
                                    Dialect dialect);

}  // namespace brigada
