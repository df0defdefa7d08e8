// Formatting: 'text' % values and 'text'.format(values), with the conversions templates use.
#pragma once

#include "jinja/heap.h"

namespace brigada::jinja {

/// format % value: %s %r %d %i %f %e %g %x %X %o %c %%, flags, width, precision and %(name)s. A
/// tuple gives one value each, a dict the named ones.
Result<Value> format_percent(Heap& heap, std::string_view format, Value value);

/// format.format(args): {}, {0}, {name}, {{ and }}, !r and !s, and specifications such as {:>8} or
/// {:.2f}. Attributes and items ({0.a}, {0[a]}) are not supported.
Result<Value> format_braces(Heap& heap, std::string_view format, const Args& args);

}  // namespace brigada::jinja
