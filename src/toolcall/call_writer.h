// CallWriter: the calls of one answer as pieces, with their indices and ids. A call begins, gets
// its arguments and ends, or is given up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "toolcall/answer_piece.h"
#include "toolcall/tool_list.h"

namespace brigada {

/// How ids of calls look. Templates of some models show them to the model again and are particular.
enum class CallIdStyle {
    long_word,  // "call_" and 24 letters and digits
    nine,       // nine letters and digits: Mistral's templates refuse others
};

struct CallRules {
    CallIdStyle ids = CallIdStyle::long_word;
    std::string id_salt{};       // ids of other salts differ
    bool one_call_only = false;  // the first is sent, more are left out
};

class CallWriter {
  public:
    /// Borrows the tools.
    CallWriter(CallRules rules, const ToolList& tools) : rules_(std::move(rules)), tools_(tools) {}

    const ToolList& tools() const { return tools_; }
    /// Pieces go here until the next such call.
    void write_to(AnswerPieces& pieces) { pieces_ = &pieces; }

    /// A call begins. `own_id` is what the model itself calls it, "" for nothing.
    void begin(std::string_view name, std::string_view own_id = {});
    void arguments(std::string_view json);
    void end();

    /// The call at hand is none after all: `raw` is all the model wrote of it.
    void give_up(std::string_view raw, std::string_view reason);

    bool is_open() const { return is_open_; }
    /// Complete ones.
    uint32_t calls() const { return complete_; }

  private:
    bool is_left_out() const { return rules_.one_call_only && complete_ > 0; }
    std::string make_id() const;

    CallRules rules_;
    const ToolList& tools_;
    AnswerPieces* pieces_ = nullptr;
    uint32_t begun_ = 0;
    uint32_t complete_ = 0;
    bool is_open_ = false;
};

}  // namespace brigada
