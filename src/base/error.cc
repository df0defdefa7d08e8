#include "base/error.h"

namespace brigada {

std::string_view to_string(Code code) {
    switch (code) {
        case Code::invalid_argument:
            return "invalid_argument";
        case Code::not_found:
            return "not_found";
        case Code::unsupported:
            return "unsupported";
        case Code::corrupt:
            return "corrupt";
        case Code::too_large:
            return "too_large";
        case Code::exhausted:
            return "exhausted";
        case Code::unavailable:
            return "unavailable";
        case Code::unauthenticated:
            return "unauthenticated";
        case Code::forbidden:
            return "forbidden";
        case Code::deadline:
            return "deadline";
        case Code::cancelled:
            return "cancelled";
        case Code::io:
            return "io";
        case Code::internal:
            return "internal";
    }
    return "unknown";
}

}  // namespace brigada
