// RecentNames: the end users that called last, so many and no more: clients choose their names, and
// one that makes them up must not fill the memory. Whoever is forgotten comes back with what the
// ledger knows of him. Pure.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace brigada {

class RecentNames {
  public:
    /// Of one tenant.
    struct Name {
        std::string owner = {};
        std::string id = {};

        friend auto operator<=>(const Name&, const Name&) = default;
    };

    explicit RecentNames(size_t most) : most_(most) {}

    /// The name was used just now. Returns the one that must go for it, if one must.
    std::optional<Name> use(const Name& name);

    size_t size() const { return places_.size(); }

  private:
    size_t most_;
    std::list<Name> recent_;  // the last one first
    std::map<Name, std::list<Name>::iterator> places_;
};

}  // namespace brigada
