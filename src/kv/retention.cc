#include "kv/retention.h"

#include "base/concat.h"

namespace brigada {

std::string_view to_string(RetentionPolicy policy) {
    return policy == RetentionPolicy::agents ? "agents" : "lru";
}

Result<RetentionPolicy> retention_named(std::string_view name) {
    for (const RetentionPolicy policy : {RetentionPolicy::agents, RetentionPolicy::lru})
        if (name == to_string(policy)) return policy;
    return Error{Code::invalid_argument,
                 concat("'", name, "' is no retention policy; there are agents, lru")};
}

}  // namespace brigada
