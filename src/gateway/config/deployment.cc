#include "gateway/config/deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/fnv.h"

namespace brigada {

namespace {

/// Between which calls are translated; where several would do, the first.
constexpr Dialect kTranslated[] = {Dialect::chat, Dialect::messages, Dialect::responses};

}  // namespace

std::string made_id(const Deployment& deployment) {
    const UpstreamAddress address = deployment.address.value_or(UpstreamAddress{});
    std::string text =
        fmt::format("{}\n{}\n{}\n{}://{}:{}{}\n{}", deployment.model_name, deployment.provider,
                    deployment.upstream_model, address.scheme, address.host, address.port,
                    address.base_path, deployment.organization);
    for (const std::string& tag : deployment.tags)
        text += "\n" + tag;
    return fmt::format("d-{:016x}", fnv1a64(text));
}

std::optional<Dialect> dialect_at(const Deployment& deployment, Dialect asked) {
    const auto speaks = [&](Dialect dialect) {
        return std::ranges::find(deployment.spoken, dialect) != deployment.spoken.end();
    };
    if (speaks(asked)) return asked;
    if (std::ranges::find(kTranslated, asked) == std::end(kTranslated)) return std::nullopt;
    const auto other = std::ranges::find_if(kTranslated, speaks);
    return other != std::end(kTranslated) ? std::optional(*other) : std::nullopt;
}

std::optional<std::string> upstream_model_for(const Deployment& deployment,
                                              std::string_view requested) {
    const std::string_view pattern = deployment.model_name;
    const size_t star = pattern.find('*');
    if (star == pattern.npos)
        return requested == pattern ? std::optional(deployment.upstream_model) : std::nullopt;

    const std::string_view before = pattern.substr(0, star);
    const std::string_view after = pattern.substr(star + 1);
    const bool matches = requested.size() >= before.size() + after.size() &&
                         requested.starts_with(before) && requested.ends_with(after);
    if (!matches) return std::nullopt;
    std::string model = deployment.upstream_model;
    const size_t place = model.find('*');
    if (place == model.npos) return model;
    const size_t matched = requested.size() - before.size() - after.size();
    return model.replace(place, 1, requested.substr(before.size(), matched));
}

}  // namespace brigada
