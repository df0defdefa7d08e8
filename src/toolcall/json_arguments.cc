#include "toolcall/json_arguments.h"

namespace brigada {

Taken JsonArguments::read(Unread& in, CallWriter& out) {
    if (!begun_) {
        in.skip_space();
        if (in.empty()) return in.ended() ? Taken::no : Taken::wait;
        if (!in.text().starts_with('{')) return Taken::no;
        begun_ = true;
    }
    std::string valid;
    in.use(scanner_.read(in.text(), valid));
    out.arguments(valid);
    if (scanner_.state() == JsonScanner::State::complete) return Taken::yes;
    const bool is_wrong = scanner_.state() == JsonScanner::State::wrong || in.ended();
    return is_wrong ? Taken::no : Taken::wait;
}

}  // namespace brigada
