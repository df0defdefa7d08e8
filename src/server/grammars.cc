#include "server/grammars.h"

#include <algorithm>
#include <utility>

namespace brigada {

Task<Result<std::shared_ptr<const Grammar>>> Grammars::get(GrammarSpec spec) {
    if (auto known = find(spec)) co_return known;
    auto compiled = co_await worker_.run<std::shared_ptr<const Grammar>>(
        loop_, [spec] { return compile_grammar(spec); });
    if (compiled.ok() && !find(spec)) keep(std::move(spec), *compiled);
    co_return compiled;
}

std::shared_ptr<const Grammar> Grammars::find(const GrammarSpec& spec) {
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Kept& kept) { return kept.is_for(spec); });
    if (found == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, found);
    return found->grammar;
}

void Grammars::keep(GrammarSpec spec, std::shared_ptr<const Grammar> grammar) {
    kept_.push_front({std::move(spec), std::move(grammar)});
    kept_text_ += kept_.front().text_bytes();
    while (kept_.size() > kMaxKeptGrammars || kept_text_ > kMaxKeptGrammarText) {
        kept_text_ -= kept_.back().text_bytes();
        kept_.pop_back();
    }
}

}  // namespace brigada
