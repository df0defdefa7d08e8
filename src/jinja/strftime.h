// Time as text: strftime_now's format, for a moment given in seconds.
#pragma once

#include <string>
#include <string_view>

#include "jinja/template.h"

namespace brigada::jinja {

/// `now` in its local time, as Python's datetime.now().strftime(format) prints it in the C locale:
/// all C99 conversions, %f, and GNU's %-d. A datetime without zone prints %z and %Z as nothing.
/// Error::invalid_argument for a conversion that is none, and for years beyond 1 to 9999.
Result<std::string> format_time(std::string_view format, Now now);

}  // namespace brigada::jinja
