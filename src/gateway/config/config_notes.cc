#include "gateway/config/config_notes.h"

#include "base/check.h"

namespace brigada {

void ConfigNotes::error(std::string note) {
    ++error_count_;
    if (errors_.size() < kMaxConfigErrors) errors_.push_back(std::move(note));
}

void ConfigNotes::warn(std::string note) {
    if (warnings_.size() < kMaxConfigWarnings) warnings_.push_back(std::move(note));
}

Error ConfigNotes::summary() const {
    CHECK(has_errors());
    std::string message;
    for (const std::string& error : errors_)
        message += message.empty() ? error : "\n" + error;
    if (error_count_ > errors_.size())
        message += concat("\nand ", error_count_ - errors_.size(), " more");
    return {Code::invalid_argument, std::move(message)};
}

}  // namespace brigada
