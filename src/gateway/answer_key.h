// answer_key: what makes two calls the same call. Everything in a body that may change its answer
// counts, in any order of its top-level fields and with any white space between values.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "dialect/dialect.h"
#include "gateway/answer_cache.h"
#include "net/http.h"

namespace brigada {

struct AnsweredCall {
    std::string_view tenant = {};
    std::string_view name_space = {};  // the configuration's, or the call's own
    Dialect dialect = Dialect::chat;
    std::string_view model = {};     // after all aliases
    std::string_view end_user = {};  // end users of one tenant do not share answers
    std::string_view body = {};      // may be read kBodyPadding bytes further
    const HttpHeaders* headers = nullptr;
};

/// Fields that say who calls and how it is kept, not what is asked, do not count: cache, metadata,
/// user, prompt_cache_key; of the headers only those do that choose a version of the API.
/// Error::invalid_argument for what is no JSON object.
Result<AnswerKey> answer_key(const AnsweredCall& call);

}  // namespace brigada
