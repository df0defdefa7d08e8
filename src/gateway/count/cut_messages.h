// What tests and benchmarks of counting share: a raw list of messages, cut as the reader of bodies
// cuts it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/concat.h"
#include "gateway/call_body.h"
#include "gateway/count/prompt_source.h"
#include "net/http.h"

namespace brigada {

/// They lie in `list`; none when it is no list.
inline std::vector<PromptMessage> cut_messages(std::string_view list) {
    constexpr std::string_view kBefore = R"({"model":"m","messages":)";
    std::string body = concat(kBefore, list, "}");
    body.reserve(body.size() + kBodyPadding);
    std::vector<PromptMessage> out;
    for (BodySpan message : read_call_body(body, Dialect::chat).value().list.messages) {
        message.at -= kBefore.size();
        const std::string_view raw = message.in(list);
        out.push_back({raw, content_key(ContentKey(), raw)});
    }
    return out;
}

}  // namespace brigada
