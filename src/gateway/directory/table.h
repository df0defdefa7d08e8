// Table: the records of one kind by id, and by the name that may stand only once among them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "gateway/directory/records.h"

namespace brigada {

/// The name no other record of the kind may have: the alias of organisations, teams and keys, the
/// e-mail address of users. Empty when there is none.
template <typename T>
std::string_view unique_name(const T& record) {
    if constexpr (std::is_same_v<T, User>)
        return record.email;
    else if constexpr (std::is_same_v<T, BudgetTemplate> || std::is_same_v<T, EndUser>)
        return {};
    else
        return record.alias;
}

template <typename T>
class Table {
  public:
    using Rows = std::map<std::string, T, std::less<>>;

    /// Null when there is none. Stays where it is until the record is removed.
    const T* find(std::string_view id) const {
        const auto found = rows_.find(id);
        return found == rows_.end() ? nullptr : &found->second;
    }

    const T* named(std::string_view name) const {
        const auto found = ids_.find(name);
        return found == ids_.end() ? nullptr : find(found->second);
    }

    const Rows& rows() const { return rows_; }

    /// Puts or removes the record and returns what was there.
    std::optional<T> exchange(const std::string& id, std::optional<T> record) {
        std::optional<T> before;
        if (auto found = rows_.find(id); found != rows_.end()) {
            ids_.erase(std::string(unique_name(found->second)));
            before = std::move(found->second);
            if (!record) rows_.erase(found);
        }
        if (record) {
            if (!unique_name(*record).empty()) ids_.emplace(unique_name(*record), id);
            rows_.insert_or_assign(id, *std::move(record));
        }
        return before;
    }

    void check() const {
        size_t names = 0;
        for (const auto& [id, record] : rows_) {
            CHECK(record.id == id);
            if (unique_name(record).empty()) continue;
            ++names;
            CHECK(named(unique_name(record)) == &record, unique_name(record));
        }
        CHECK(names == ids_.size());
    }

  private:
    Rows rows_;
    std::map<std::string, std::string, std::less<>> ids_;  // by unique name
};

}  // namespace brigada
