// Schemas from any bytes: compiled or refused with words. What was compiled is walked along by the
// bytes that follow the first line; a live position must have a way on or be an end.
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/check.h"
#include "grammar/grammar_spec.h"
#include "grammar/recogniser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const size_t line = std::min(input.find('\n'), size);
    const auto grammar = compile_grammar({.kind = GrammarSpec::Kind::json_schema,
                                          .text = std::string(input.substr(0, line)),
                                          .field = "schema"});
    if (!grammar.ok()) {
        CHECK(grammar.error().message.starts_with("schema: "), grammar.error().message);
        return 0;
    }
    Recogniser recogniser(*grammar);
    Position at = recogniser.start();
    for (char c : input.substr(line)) {
        const Position next = recogniser.step(at, static_cast<uint8_t>(c));
        if (next != kDead) at = next;
        bool leads_on = recogniser.may_end(at);
        for (int byte = 0; byte < 256 && !leads_on; ++byte)
            leads_on = recogniser.step(at, static_cast<uint8_t>(byte)) != kDead;
        CHECK(leads_on);
    }
    return 0;
}
