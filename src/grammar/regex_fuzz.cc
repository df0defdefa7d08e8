// Regular expressions and grammar notation from any bytes: read or refused with words, and what was
// read is built and walked along by its own text.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "grammar/grammar_spec.h"
#include "grammar/recogniser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const auto kind : {GrammarSpec::Kind::regex, GrammarSpec::Kind::gbnf}) {
        const auto grammar = compile_grammar({.kind = kind, .text = text, .field = "text"});
        if (!grammar.ok()) {
            CHECK(grammar.error().message.starts_with("text: "), grammar.error().message);
            continue;
        }
        Recogniser recogniser(*grammar);
        Position at = recogniser.start();
        for (uint8_t byte : text)
            at = recogniser.step(at, byte);
    }
    return 0;
}
