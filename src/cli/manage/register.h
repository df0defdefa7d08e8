// Register: all records of one noun, and the one that a word on the command line means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/manage/gateway_api.h"
#include "cli/manage/noun.h"

namespace brigada {

class Register {
  public:
    /// Asks for all of them, page by page.
    static Result<Register> read(GatewayApi& api, const Noun& noun);

    Register(const Noun& noun, std::vector<Json> records)
        : noun_(&noun), records_(std::move(records)) {}

    const std::vector<Json>& records() const { return records_; }

    /// By id, by alias, or by the first eight or more characters of an id that no other begins
    /// with. Error::not_found names what is near, ::invalid_argument when several are meant.
    Result<Json> find(std::string_view word) const;

    /// The record's name for people, or its id.
    std::string name_of(const Json& record) const;
    std::string id_of(const Json& record) const;

    /// The alias of the record with this id; the id itself when there is none.
    std::string alias_of(std::string_view id) const;

  private:
    Error unknown(std::string_view word) const;

    const Noun* noun_;
    std::vector<Json> records_;
};

/// A text field of a record; empty when it has none.
std::string text_of(const Json& record, const char* field);

}  // namespace brigada
