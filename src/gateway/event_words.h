// EventWords: what an event of a streamed answer says of itself, in one dialect or another, told by
// the words between its quotes. Most events are pieces of text, which nobody has to parse.
#pragma once

#include <string_view>

namespace brigada {

struct EventWords {
    bool carry_output = false;  // its data is text of the answer
    bool may_matter = false;    // worth parsing: everything else passes unread

    bool operator==(const EventWords&) const = default;
};

/// Of an event's data. One pass over the quotes, whatever stands between them.
EventWords words_of(std::string_view data);

}  // namespace brigada
