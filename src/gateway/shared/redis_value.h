// RedisValue: what Redis answers, and the reader that finds answers in the bytes of a connection
// (hiredis').
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace brigada {

struct RedisValue {
    enum class Kind { nothing, integer, text, list, error };

    Kind kind = Kind::nothing;
    int64_t integer = 0;
    std::string text = {};  // of an error, too
    std::vector<RedisValue> list = {};
};

class RedisReader {
  public:
    RedisReader();
    ~RedisReader();

    void feed(std::span<const char> bytes);

    /// The next answer; nothing while it is not all there. Error::corrupt for what is no answer.
    Result<std::optional<RedisValue>> next();

  private:
    struct Free {
        void operator()(void* reader) const;
    };
    std::unique_ptr<void, Free> reader_;
};

/// A command as Redis reads it.
void append_command(std::span<const std::string> words, std::string& out);

}  // namespace brigada
