// TokenEstimate: how many tokens a prompt has, from its bytes, before anybody has counted: what
// upstreams reported of earlier prompts of the model says what a byte is worth. Pure: no clock.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace brigada {

class TokenEstimate {
  public:
    /// Of a model nobody has reported on: English text and code, four bytes each.
    static constexpr int64_t kBytesPerToken = 4;

    /// At least 1 for any bytes at all.
    int64_t tokens(std::string_view model, int64_t bytes) const;

    /// An upstream counted `tokens` in a prompt of so many bytes. Short prompts say little, their
    /// templates much; they are passed over.
    void learn(std::string_view model, int64_t bytes, int64_t tokens);

  private:
    /// Models are of the configuration, so there are few.
    std::map<std::string, int64_t, std::less<>> tokens_per_million_bytes_;
};

}  // namespace brigada
