// ShortBody: a body without what is known of it, so that a reader need not go through that again.
// Of a known list of messages and of known tools their brackets are left; what is found in the
// short text has its place in the body.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "gateway/call_body.h"

namespace brigada {

class ShortBody {
  public:
    /// Made anew; false when the list does not go on as lists do.
    bool make(const KnownParts& known, std::string_view body);

    /// May be read kBodyPadding bytes further.
    std::string_view text() const { return text_; }
    size_t in_body(size_t in_text) const;

  private:
    /// Bytes of the body that are left out behind the one at `at`.
    struct Gap {
        size_t at = 0;
        size_t size = 0;
    };

    std::string text_;
    std::array<Gap, 2> gaps_ = {};  // in the body's order
};

}  // namespace brigada
