// ChunkDecoder: the body inside the chunked transfer coding, from bytes in any portions. Data is
// handed out as views into the bytes given. Source: RFC 9112 §7.1.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "net/line_reader.h"

namespace brigada {

class ChunkDecoder {
  public:
    struct Step {
        size_t used = 0;        // bytes taken from the front
        std::string_view data;  // of the body; a part of what was used
    };

    /// Takes at most one run of data. Call again with the rest until all is used or done().
    /// invalid_argument says what is wrong with the coding; the decoder is then of no more use.
    Result<Step> next(std::string_view bytes);

    /// The last chunk and the trailer section have been taken.
    bool done() const { return state_ == State::done; }

  private:
    enum class State { size, data, data_end, trailers, done };

    Result<void> take_line(std::string_view line);
    Result<void> begin_chunk(std::string_view line);
    size_t line_budget() const;

    State state_ = State::size;
    LineReader lines_;
    uint64_t missing_ = 0;  // of the current chunk's data
    size_t trailer_bytes_ = 0;
};

}  // namespace brigada
