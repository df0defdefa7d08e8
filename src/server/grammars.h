// Grammars: from what a request asks for to a Grammar, off the loop, and kept: agents send the same
// schemas again and again.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>

#include "base/result.h"
#include "grammar/grammar.h"
#include "grammar/grammar_spec.h"
#include "net/loop.h"
#include "net/worker.h"

namespace brigada {

/// Grammars kept, and the bytes of what they were made from; the one asked for longest ago goes
/// first.
inline constexpr size_t kMaxKeptGrammars = 64;
inline constexpr size_t kMaxKeptGrammarText = 8 << 20;

/// Specs that may wait for the worker; more are refused.
inline constexpr size_t kMaxWaitingGrammars = 256;

class Grammars {
  public:
    explicit Grammars(Loop& loop) : loop_(loop) {}

    /// Errors as compile_grammar; ::unavailable when too many wait. Loop thread.
    Task<Result<std::shared_ptr<const Grammar>>> get(GrammarSpec spec);

    /// Finishes what is being compiled. Before the loop stops.
    void stop() { worker_.stop(); }

  private:
    struct Kept {
        GrammarSpec spec;
        std::shared_ptr<const Grammar> grammar;
        bool is_for(const GrammarSpec& other) const {
            return spec.kind == other.kind && spec.compact == other.compact &&
                   spec.text == other.text && spec.calls == other.calls;
        }
        size_t text_bytes() const { return spec.text.size() + spec.calls.size(); }
    };
    std::shared_ptr<const Grammar> find(const GrammarSpec& spec);
    void keep(GrammarSpec spec, std::shared_ptr<const Grammar> grammar);

    Loop& loop_;
    std::list<Kept> kept_;  // the one asked for last comes first
    size_t kept_text_ = 0;
    Worker worker_{"grammars", kMaxWaitingGrammars};
};

}  // namespace brigada
