// ContentKey: a name for what clients send, by its content, so that what comes again is recognised.
// Whoever names things salts the names: one tenant's say nothing of another's.
#pragma once

#include <cstdint>
#include <string_view>

namespace brigada {

/// XXH3-128 of content and salt.
struct ContentKey {
    uint64_t low = 0;
    uint64_t high = 0;

    friend bool operator==(const ContentKey&, const ContentKey&) = default;
};

/// `text` behind what `before` covers.
ContentKey content_key(const ContentKey& before, std::string_view text);
/// What `next` covers behind what `before` covers.
ContentKey content_key(const ContentKey& before, const ContentKey& next);

}  // namespace brigada
