// The JSON of OpenAI's Responses that a stream and a whole answer share: the response itself and
// the items of its output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dialect/answer_block.h"
#include "dialect/answer_writer.h"

namespace brigada {

/// An item of the output: a block, with the place it has there.
class ResponseItem {
  public:
    enum class Status : uint8_t { in_progress, completed, incomplete };

    ResponseItem(const AnswerBlock& block, std::string_view answer, uint32_t output_index,
                 const Conversation* asked);

    /// "msg_...", "rs_...", "fc_...", "ctc_...".
    const std::string& id() const { return id_; }
    /// A call of a tool that takes free text.
    bool is_custom() const { return is_custom_; }
    /// What the call passes: arguments as JSON, or free text; escaped.
    std::string call_text() const;

    /// The item. What is in progress has no content yet.
    void append(std::string& out, Status status) const;
    /// The one part of a message, with `text`, or of a summary.
    void append_part(std::string& out, Escaped text) const;

  private:
    void append_call(std::string& out, Status status) const;
    std::string_view own_name() const;

    const AnswerBlock& block_;
    bool is_custom_;
    std::string space_;  // the tool's namespace, escaped
    std::string id_;
    std::string call_id_;  // escaped
};

/// What changes in a response while it is told.
struct ResponseState {
    std::string id = {}, model = {};  // escaped
    int64_t created_unix = 0;
    std::string_view status = {};  // "in_progress", "completed", "incomplete", "failed"
    std::string_view incomplete_reason = {};
    std::string_view output = {};  // items, with commas between them
    std::string error = {};        // an object; empty for none
    std::string usage = {};        // an object; empty for none
};

/// With what the client asked, as far as clients look at it; the tools are not repeated.
void append_response(std::string& out, const ResponseState& state, const Conversation* asked);

}  // namespace brigada
