#include "net/line_reader.h"

#include <algorithm>

#include "base/check.h"

namespace brigada {

LineReader::Step LineReader::next(std::string_view bytes, size_t budget) {
    if (returned_) kept_.clear();
    returned_ = false;
    CHECK(kept_.size() <= budget);

    const std::string_view window = bytes.substr(0, budget - kept_.size());
    const size_t lf = window.find('\n');
    if (lf == std::string_view::npos) {
        kept_.append(window);
        return {kept_.size() == budget ? State::too_long : State::more, window.size(), {}};
    }
    std::string_view line = window.substr(0, lf + 1);
    if (!kept_.empty()) {
        line = kept_.append(line);
        returned_ = true;
    }
    if (!line.ends_with("\r\n")) return {State::bare_lf, lf + 1, {}};
    return {State::line, lf + 1, line.substr(0, line.size() - 2)};
}

}  // namespace brigada
