#include "model/optional_file.h"

#include <system_error>

namespace brigada {

bool is_there(const Path& path) {
    std::error_code failed;
    return std::filesystem::exists(path, failed);
}

Result<std::string> read_optional(const Path& path, size_t max_bytes) {
    if (!is_there(path)) return std::string();
    return read_file(path, max_bytes);
}

}  // namespace brigada
