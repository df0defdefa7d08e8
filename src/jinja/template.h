// Template: a parsed Jinja template, rendered against a context as transformers would render a chat
// template. It is never changed after parsing and may be rendered on many threads at once.
#pragma once

#include <memory>
#include <string>

#include "jinja/heap.h"

namespace brigada::jinja {

struct Tree;

/// The moment strftime_now shows: seconds since 1970 in UTC, and how far local time is ahead of
/// UTC.
struct Now {
    int64_t unix_seconds = 0;
    int32_t utc_offset_seconds = 0;
};

struct RenderOptions {
    Now now;
    Limits limits;
};

class Template {
  public:
    /// Error::invalid_argument with the line of a syntax error; Error::unsupported for tags that
    /// need other files and for recursive loops.
    static Result<Template> parse(std::string_view source);

    Template(Template&&) noexcept;
    Template& operator=(Template&&) noexcept;
    ~Template();

    /// The text for the variables in `context`, an object. raise_exception(text) in the template
    /// gives Error::invalid_argument with exactly that text; other mistakes of template or context
    /// name the line; Error::too_large says which limit was reached.
    Result<std::string> render(const Json& context, const RenderOptions& options) const;

    /// The same for a context already made on `heap`, whose limits then hold.
    Result<std::string> render(Heap& heap, const Dict& context, Now now) const;

  private:
    explicit Template(std::unique_ptr<const Tree> tree);

    std::unique_ptr<const Tree> tree_;
};

}  // namespace brigada::jinja
