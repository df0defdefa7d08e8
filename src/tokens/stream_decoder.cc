#include "tokens/stream_decoder.h"

#include <algorithm>
#include <utility>

#include "tokens/unicode.h"

namespace brigada {

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool skip_special, Tokens shown)
    : tokenizer_(&tokenizer), skip_special_(skip_special), shown_(std::move(shown)) {}

bool StreamDecoder::is_left_out(TokenId id) const {
    return skip_special_ && tokenizer_->is_special(id) && std::ranges::count(shown_, id) == 0;
}

std::string StreamDecoder::append(TokenId id) {
    std::string_view bytes = tokenizer_->bytes(id);
    if (bytes.empty() || is_left_out(id)) return {};
    if (at_start_ && tokenizer_->strips_first_space() && bytes.starts_with(' '))
        bytes.remove_prefix(1);
    at_start_ = false;
    pending_ += bytes;
    const size_t complete = pending_.size() - unfinished_bytes(pending_);
    std::string out;
    append_valid_utf8(std::string_view(pending_).substr(0, complete), out);
    pending_.erase(0, complete);
    return out;
}

std::string StreamDecoder::flush() {
    std::string out;
    append_valid_utf8(pending_, out);
    pending_.clear();
    at_start_ = true;
    return out;
}

}  // namespace brigada
