#include "toolcall/call_writer.h"

#include "base/concat.h"
#include "base/fnv.h"

namespace brigada {

namespace {

using Kind = AnswerPiece::Kind;

/// `count` letters and digits out of a hash.
std::string letters(std::string_view text, size_t count) {
    constexpr std::string_view kAlphabet =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    std::string out;
    for (size_t i = 0; i < count; ++i)
        out += kAlphabet[fnv1a64(concat(text, ':', i)) / 7 % kAlphabet.size()];
    return out;
}

}  // namespace

void CallWriter::begin(std::string_view name, std::string_view own_id) {
    is_open_ = true;
    if (is_left_out()) return;
    pieces_->push_back({.kind = Kind::tool_call,
                        .call = begun_,
                        .id = own_id.empty() ? make_id() : std::string(own_id),
                        .name = std::string(name)});
    ++begun_;
}

void CallWriter::arguments(std::string_view json) {
    if (json.empty() || is_left_out()) return;
    const bool joins = !pieces_->empty() && pieces_->back().kind == Kind::tool_arguments;
    if (!joins) pieces_->push_back({.kind = Kind::tool_arguments, .call = begun_ - 1});
    pieces_->back().text += json;
}

void CallWriter::end() {
    is_open_ = false;
    ++complete_;
}

void CallWriter::give_up(std::string_view raw, std::string_view reason) {
    const bool was_announced = is_open_ && !is_left_out();
    is_open_ = false;
    if (raw.empty()) return;
    pieces_->push_back({.kind = was_announced ? Kind::broken_call : Kind::text,
                        .text = std::string(raw),
                        .call = was_announced ? begun_ - 1 : 0,
                        .reason = std::string(reason)});
}

std::string CallWriter::make_id() const {
    const std::string seed = concat(rules_.id_salt, '#', begun_);
    return rules_.ids == CallIdStyle::nine ? letters(seed, 9) : "call_" + letters(seed, 24);
}

}  // namespace brigada
