// The text that prompts are made of: prose, code and tables of this project as they were in
// November 2026, ASCII only. It never changes, so that a trace has the same prompts in every
// version.
#pragma once

#include <string_view>

namespace brigada {

std::string_view load_corpus();

}  // namespace brigada
