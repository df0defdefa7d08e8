#include "engine/grammar_book.h"

#include <algorithm>

namespace brigada {

std::shared_ptr<GrammarMasks> GrammarBook::masks_of(const std::shared_ptr<const Grammar>& grammar) {
    if (!grammar) return nullptr;
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.grammar == grammar; });
    if (found != entries_.end()) {
        std::rotate(entries_.begin(), found, found + 1);
    } else {
        if (entries_.size() == kMaxOpenGrammars) entries_.pop_back();
        entries_.insert(entries_.begin(), Entry{grammar, nullptr});
    }
    Entry& entry = entries_.front();
    if (!entry.masks || entry.masks->size_bytes() > kManyGrammarBytes)
        entry.masks = std::make_shared<GrammarMasks>(grammar, trie_);
    return entry.masks;
}

}  // namespace brigada
