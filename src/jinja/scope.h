// Scope: the variables of a template, loop, macro call or with block. A name is looked up from the
// innermost scope outwards and assigned in the innermost, as Jinja does.
#pragma once

#include "jinja/heap.h"
#include "jinja/tree.h"

namespace brigada::jinja {

class Scope {
  public:
    Scope(Allocator allocator, Scope* outer) : outer_(outer), bindings_(allocator) {}

    /// Null when no scope has it.
    const Value* find(Name name) const {
        for (const Scope* scope = this; scope; scope = scope->outer_)
            for (const auto& [id, value] : scope->bindings_)
                if (id == name.id) return &value;
        return nullptr;
    }

    void set(Name name, Value value) {
        for (auto& [id, old] : bindings_) {
            if (id != name.id) continue;
            old = value;
            return;
        }
        bindings_.emplace_back(name.id, value);
    }

    void clear() { bindings_.clear(); }

  private:
    Scope* outer_;
    std::pmr::vector<std::pair<uint32_t, Value>> bindings_;
};

}  // namespace brigada::jinja
