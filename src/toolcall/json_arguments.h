// JsonArguments: arguments written as a JSON object, sent on while they are being written.
#pragma once

#include "toolcall/call_reader.h"
#include "toolcall/json_scanner.h"

namespace brigada {

class JsonArguments {
  public:
    /// Sends what has come; `yes` when the object is complete, `no` when it is none.
    Taken read(Unread& in, CallWriter& out);

  private:
    JsonScanner scanner_;
    bool begun_ = false;
};

inline constexpr std::string_view kBadArguments = "the arguments are not a JSON object";

}  // namespace brigada
