// CallShape: how a family of models writes calls, as the texts around a call's parts: what a
// grammar needs to hold a model to its own way of calling. The readers know the same formats, more
// leniently, by layouts of their own.
#pragma once

#include <string_view>

namespace brigada {

/// How one argument is written that stands between tags:
///     key NAME key_end text VALUE end
/// where VALUE is text, or JSON for what is no string; `json` is there in place of `text` then.
struct TagShape {
    std::string_view key{}, key_end{};
    std::string_view text{}, json{};
    std::string_view end{};
    bool lines_of_their_own = false;  // VALUE has a line break before and behind it
};

/// In texts of a shape a line feed stands for white space that may be there or not. A call is
///     opening first NAME before_arguments ARGUMENTS end close
/// and, where there is a `between`, NAME ... end may come again behind that.
struct CallShape {
    enum class Arguments { json, tagged, python };

    /// Begins a call wherever it stands in a text; with `at_start` only at the start of an answer.
    std::string_view opening{};
    bool at_start = false;
    std::string_view first{}, before_arguments{}, end{}, between{}, close{};
    Arguments arguments = Arguments::json;
    TagShape tags{};
    bool quoted_name = false;    // NAME is within a JSON string
    bool numbered_name = false;  // ":" and a number behind NAME are its id
    std::string_view id{};       // behind NAME there may be this and an id of nine letters
};

}  // namespace brigada
