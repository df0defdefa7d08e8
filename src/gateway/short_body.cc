#include "gateway/short_body.h"

#include <algorithm>

#include "base/json.h"
#include "net/http.h"

namespace brigada {

namespace {

/// Where the first message behind the known ones begins, or the list ends; npos where neither
/// comes.
size_t behind_known(const BodyList& list, std::string_view body) {
    size_t at = body.find_first_not_of(kJsonBlanks, list.messages.back().end());
    if (at == body.npos || body[at] == ']') return at;
    if (body[at] != ',') return body.npos;
    at = body.find_first_not_of(kJsonBlanks, at + 1);
    return at == body.npos || body[at] == ']' ? body.npos : at;
}

}  // namespace

bool ShortBody::make(const KnownParts& known, std::string_view body) {
    const size_t rest = behind_known(known.list, body);
    if (rest == body.npos) return false;
    gaps_ = {Gap{known.list.at, rest - known.list.at - 1}, Gap{body.size(), 0}};
    if (known.tools.size > 2) gaps_[1] = {known.tools.at, known.tools.size - 2};
    std::ranges::sort(gaps_, {}, &Gap::at);
    text_.clear();
    text_.reserve(body.size() - gaps_[0].size - gaps_[1].size + kBodyPadding);
    size_t from = 0;
    for (const Gap& gap : gaps_) {
        const size_t end = std::min(gap.at + 1, body.size());
        text_.append(body.substr(from, end - from));
        from = end + gap.size;
    }
    text_.append(body.substr(std::min(from, body.size())));
    return true;
}

size_t ShortBody::in_body(size_t in_text) const {
    for (const Gap& gap : gaps_)
        if (in_text > gap.at) in_text += gap.size;
    return in_text;
}

}  // namespace brigada
