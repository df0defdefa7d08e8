// JsonOut: writes JSON to the end of a string. Commas put themselves.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "dialect/escaped.h"

namespace brigada {

class JsonOut {
  public:
    explicit JsonOut(std::string& out) : out_(out) {}

    void begin_object() { begin('{'); }
    void end_object() { out_ += '}'; }
    void begin_array() { begin('['); }
    void end_array() { out_ += ']'; }

    /// The next value is this field's. `name` and plain texts need no escapes.
    void key(std::string_view name) {
        plain(name);
        out_ += ':';
    }

    void plain(std::string_view text) { this->text({text}); }
    void text(Escaped text) {
        begin_text();
        out_ += text.raw;
        end_text();
    }
    void raw(RawJson value) {
        separate();
        out_ += value.text;
    }
    void boolean(bool value) { raw({value ? "true" : "false"}); }
    void number(int64_t value) {
        char digits[20];
        const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        raw({{digits, static_cast<size_t>(end - digits)}});
    }

    /// A string of several pieces: appended to `text_so_far`, escaped, before end_text.
    void begin_text() {
        separate();
        out_ += '"';
    }
    void end_text() { out_ += '"'; }
    std::string& text_so_far() { return out_; }

    void plain_field(std::string_view name, std::string_view text) { key(name), plain(text); }
    void text_field(std::string_view name, Escaped value) { key(name), text(value); }
    void raw_field(std::string_view name, RawJson value) { key(name), raw(value); }
    void boolean_field(std::string_view name, bool value) { key(name), boolean(value); }
    void number_field(std::string_view name, int64_t value) { key(name), number(value); }

  private:
    void begin(char bracket) {
        separate();
        out_ += bracket;
    }

    /// No value ends in one of these.
    void separate() {
        if (!out_.empty() && !std::string_view("{[:").contains(out_.back())) out_ += ',';
    }

    std::string& out_;
};

}  // namespace brigada
