#include "dialect/block_line.h"

#include <algorithm>
#include <utility>

namespace brigada {

namespace {

/// The character of an escape ("\n" after its backslash, "u0022"): only those that JSON's structure
/// is made of matter.
char meaning(std::string_view escape) {
    if (escape[0] == '"' || escape[0] == '\\') return escape[0];
    if (escape[0] != 'u' || !escape.substr(1).starts_with("00")) return ' ';
    const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
    return static_cast<char>(digit(escape[3]) * 16 + digit(escape[4]));
}

}  // namespace

void JsonBalance::feed(Escaped text) {
    for (size_t i = 0; i < text.raw.size(); ++i) {
        if (text.raw[i] != '\\') {
            feed_character(text.raw[i]);
            continue;
        }
        const std::string_view escape = text.raw.substr(i + 1);
        feed_character(meaning(escape));
        i += escape[0] == 'u' ? 5 : 1;
    }
}

void JsonBalance::feed_character(char c) {
    if (in_string_) {
        if (std::exchange(after_backslash_, false)) return;
        after_backslash_ = c == '\\';
        in_string_ = c != '"';
        return;
    }
    in_string_ = c == '"';
    if (c == '{' || c == '[') ++depth_, opened_ = true;
    if (c == '}' || c == ']') --depth_;
}

void BlockLine::text(Kind kind, Escaped text, std::string_view logprobs) {
    if (text.empty()) return;
    if (line_.empty() || line_.back().block.kind != kind || line_.back().block.sealed)
        queue({.kind = kind});
    add(line_.back(), text, logprobs);
    advance();
}

void BlockLine::sign(Escaped signature) {
    if (line_.empty() || line_.back().block.kind != Kind::thinking || line_.back().block.sealed)
        queue({.kind = Kind::thinking});
    line_.back().block.signature = signature.raw;
    line_.back().block.sealed = true;
    advance();
}

void BlockLine::redacted(Escaped data) {
    queue({.kind = Kind::redacted, .text = std::string(data.raw), .sealed = true});
    advance();
}

void BlockLine::begin_call(uint32_t call, Escaped id, Escaped name) {
    queue({.kind = Kind::call,
           .call = call,
           .id = std::string(id.raw),
           .name = std::string(name.raw)});
    advance();
}

void BlockLine::arguments(uint32_t call, Escaped text) {
    const auto place = std::ranges::find_if(line_, [&](const Place& found) {
        return found.block.kind == Kind::call && found.block.call == call;
    });
    if (place == line_.end() || place->balance.whole()) return;
    add(*place, text);
    advance();
}

void BlockLine::finish() {
    while (!line_.empty())
        end_front();
}

void BlockLine::queue(AnswerBlock block) {
    line_.push_back({.block = std::move(block)});
    if (line_.size() == 1) begin_front();
}

void BlockLine::add(Place& place, Escaped text, std::string_view logprobs) {
    place.block.text += text.raw;
    append_elements(place.block.logprobs, logprobs);
    if (place.block.kind == Kind::call) place.balance.feed(text);
    if (&place == &line_.front()) sink_.block_text(place.block, text, logprobs);
}

void BlockLine::advance() {
    while (!line_.empty() && front_may_end())
        end_front();
}

bool BlockLine::front_may_end() const {
    const Place& front = line_.front();
    if (front.block.sealed) return true;
    return line_.size() > 1 && (front.block.kind != Kind::call || front.balance.whole());
}

void BlockLine::begin_front() {
    const AnswerBlock& block = line_.front().block;
    sink_.begin_block(block);
    if (!block.text.empty() && block.kind != Kind::redacted)
        sink_.block_text(block, Escaped{block.text}, block.logprobs);
}

void BlockLine::end_front() {
    sink_.end_block(line_.front().block);
    line_.pop_front();
    if (!line_.empty()) begin_front();
}

}  // namespace brigada
