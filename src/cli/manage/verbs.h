// Verbs: what `brigada keys`, `teams`, `users`, `orgs` and `budgets` do.
#pragma once

#include <string>
#include <vector>

#include "cli/manage/body_words.h"
#include "cli/manage/noun.h"

namespace brigada {

/// What was said on the command line.
struct ManageWords {
    const Noun* noun = nullptr;
    std::string url = {};
    bool json = false;
    std::vector<std::string> names = {};  // of whom
    BodyWords body = {};
    std::string new_name = {};
    std::string grace = {};
    std::string role = {};
};

using Verb = Result<void> (*)(const ManageWords&);

Result<void> list_records(const ManageWords& words);
Result<void> show_record(const ManageWords& words);
Result<void> create_record(const ManageWords& words);
Result<void> update_record(const ManageWords& words);
Result<void> delete_records(const ManageWords& words);
Result<void> block_record(const ManageWords& words);
Result<void> unblock_record(const ManageWords& words);
Result<void> rotate_key(const ManageWords& words);

/// A team and a user: the two names.
Result<void> add_member(const ManageWords& words);
Result<void> remove_member(const ManageWords& words);

}  // namespace brigada
