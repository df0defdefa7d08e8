// JsonScanner: follows one JSON value that arrives in portions and lets through what is certainly
// valid, so that arguments can be sent while a model still writes them. Models break lines inside
// strings; such control characters are escaped. Source: RFC 8259.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace brigada {

class JsonScanner {
  public:
    enum class State { open, complete, wrong };

    /// Appends to `out` what of `text` belongs to the value and returns how many bytes that were.
    /// Fewer than all: the value is complete, or the next byte cannot stand there. A number is
    /// complete only when another byte follows.
    size_t read(std::string_view text, std::string& out);

    State state() const { return state_; }

  private:
    enum class Next : uint8_t {
        value,            // after a colon, a comma of an array, at the start
        value_or_close,   // after [
        key,              // after a comma of an object
        key_or_close,     // after {
        colon,            // after a key
        comma_or_close,   // after a value inside something
        string,           // characters of a string
        escape,           // after a backslash
        unicode,          // hexadecimal digits after \u
        low_surrogate,    // the backslash of the second half of a pair
        low_surrogate_u,  // and its u
        number,           // characters of a number
        word,             // characters of true, false or null
    };

    bool step(char c, std::string& out);
    bool accepts(char c);
    bool go_to(Next next);
    bool begin_value(char c);
    bool begin_string(bool is_key);
    bool open_bracket(char c);
    bool close_bracket(char c);
    bool in_string(char c, std::string& out);
    bool in_escape(char c);
    bool in_unicode(char c);
    bool in_number(char c);
    bool ends_number(char c) const;
    bool in_word(char c);
    void end_value();

    State state_ = State::open;
    Next next_ = Next::value;
    std::vector<char> brackets_;  // open ones, outermost first
    bool is_key_ = false;         // the string at hand
    uint32_t unit_ = 0;           // UTF-16 code unit at hand
    int digits_ = 0;              // of it
    bool needs_low_ = false;      // a high surrogate came before it
    uint8_t number_ = 0;          // where in a number's grammar we are
    std::string_view word_;       // what of the word is still to come
};

}  // namespace brigada
