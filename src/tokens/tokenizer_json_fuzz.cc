// A hostile tokenizer.json, and where it loads, a text through it. The first line of the input is
// the text, the rest the file. Whatever loads must encode anything, decode to UTF-8 and stream the
// same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "tokens/stream_decoder.h"
#include "tokens/tokenizer.h"
#include "tokens/unicode.h"

namespace brigada {
namespace {

void try_text(const Tokenizer& tokenizer, std::string_view text) {
    for (const Specials specials : {Specials::recognise, Specials::none, Specials::no_added}) {
        const Tokens ids = tokenizer.encode(text, specials);
        for (const TokenId id : ids)
            CHECK(raw(id) < tokenizer.size(), raw(id));
        const std::string decoded = tokenizer.decode(ids, false);
        std::string valid;
        append_valid_utf8(decoded, valid);
        CHECK(valid == decoded, decoded);

        StreamDecoder decoder(tokenizer, false);
        std::string streamed;
        for (const TokenId id : ids)
            streamed += decoder.append(id);
        streamed += decoder.flush();
        CHECK(streamed == decoded, "streamed ", streamed, " decoded ", decoded);
    }
}

}  // namespace
}  // namespace brigada

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const size_t line = input.find('\n');
    if (line == input.npos) return 0;
    const auto tokenizer = brigada::Tokenizer::from_json(input.substr(line + 1), "");
    if (tokenizer.ok()) brigada::try_text(*tokenizer, input.substr(0, line));
    return 0;
}
