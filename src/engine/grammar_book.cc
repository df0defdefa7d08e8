#include "engine/grammar_book.h"

#include <algorithm>
#include <string>
#include <utility>

namespace brigada {

std::shared_ptr<GrammarMasks> GrammarBook::masks_of(const std::shared_ptr<const Grammar>& grammar,
                                                    const Tokens& controls) {
    if (!grammar) return nullptr;
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.grammar == grammar && entry.controls == controls;
    });
    if (found != entries_.end()) {
        std::rotate(entries_.begin(), found, found + 1);
    } else {
        if (entries_.size() == kMaxOpenGrammars) entries_.pop_back();
        entries_.insert(entries_.begin(), Entry{grammar, controls, nullptr});
    }
    Entry& entry = entries_.front();
    if (!entry.masks || entry.masks->size_bytes() > kManyGrammarBytes)
        entry.masks = new_masks(entry);
    return entry.masks;
}

std::shared_ptr<GrammarMasks> GrammarBook::new_masks(const Entry& entry) const {
    std::vector<GrammarMasks::Control> shown;
    for (const TokenId token : entry.controls)
        shown.push_back({token, std::string(tokenizer_.bytes(token))});
    return std::make_shared<GrammarMasks>(entry.grammar, trie_, std::move(shown));
}

}  // namespace brigada
