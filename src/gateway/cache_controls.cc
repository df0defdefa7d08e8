#include "gateway/cache_controls.h"

#include <algorithm>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr int64_t kMostSeconds = 366LL * 86'400;

class Reader {
  public:
    Reader(const Json& from, std::string_view name) : from_(from), name_(name) {}

    Result<void> boolean(const char* field, auto& out) const {
        const auto found = from_.find(field);
        if (found == from_.end() || found->is_null()) return {};
        if (!found->is_boolean()) return wrong(field, "true or false");
        out = found->template get<bool>();
        return {};
    }

    Result<void> seconds(const char* field, std::optional<Duration>& out) const {
        const auto found = from_.find(field);
        if (found == from_.end() || found->is_null()) return {};
        if (!found->is_number()) return wrong(field, "a number of seconds");
        const double seconds = found->get<double>();
        if (!(seconds >= 0 && seconds <= kMostSeconds))
            return wrong(field, "between 0 seconds and a year");
        out = Duration::milliseconds(static_cast<int64_t>(seconds * 1'000));
        return {};
    }

    Result<void> text(const char* field, std::string& out) const {
        const auto found = from_.find(field);
        if (found == from_.end() || found->is_null()) return {};
        if (!found->is_string()) return wrong(field, "text");
        out = found->get<std::string>();
        return {};
    }

  private:
    Error wrong(const char* field, std::string_view expected) const {
        return {Code::invalid_argument, concat(name_, ".", field, ": must be ", expected)};
    }

    const Json& from_;
    std::string_view name_;
};

/// LiteLLM's words for what a dialect's calls are.
std::string_view call_type(Dialect dialect) {
    switch (dialect) {
        case Dialect::chat:
            return "completion";
        case Dialect::completions:
            return "text_completion";
        case Dialect::embeddings:
            return "embedding";
        case Dialect::responses:
            return "responses";
        case Dialect::messages:
        case Dialect::count_tokens:
            break;
    }
    return "anthropic_messages";
}

/// Each word also in the form that LiteLLM uses for its asynchronous calls.
bool covers(const std::vector<std::string>& types, Dialect dialect) {
    const std::string_view word = call_type(dialect);
    return types.empty() || std::ranges::any_of(types, [&](const std::string& type) {
               return type == word || type == concat("a", word);
           });
}

}  // namespace

Result<CacheControls> read_cache_controls(const Json& value, std::string_view name) {
    CacheControls out;
    if (value.is_null()) return out;
    if (value.is_boolean()) {
        out.use_cache = value.get<bool>();
        return out;
    }
    if (!value.is_object())
        return Error{Code::invalid_argument, concat(name, ": must be an object, true or false")};
    const Reader reader(value, name);
    TRY(reader.boolean("use-cache", out.use_cache));
    TRY(reader.boolean("no-cache", out.no_cache));
    TRY(reader.boolean("no-store", out.no_store));
    TRY(reader.seconds("ttl", out.ttl));
    TRY(reader.seconds("s-maxage", out.s_maxage));
    TRY(reader.text("namespace", out.name_space));
    return out;
}

CacheControls merged(CacheControls narrow, const CacheControls& wide) {
    if (!narrow.use_cache) narrow.use_cache = wide.use_cache;
    narrow.no_cache |= wide.no_cache;
    narrow.no_store |= wide.no_store;
    if (!narrow.ttl) narrow.ttl = wide.ttl;
    if (!narrow.s_maxage) narrow.s_maxage = wide.s_maxage;
    if (narrow.name_space.empty()) narrow.name_space = wide.name_space;
    return narrow;
}

std::optional<CachePlan> cache_plan(const CacheSettings& settings, Dialect dialect,
                                    const CacheControls& controls) {
    if (!settings.enabled || !controls.use_cache.value_or(settings.on_by_default)) return {};
    if (!covers(settings.call_types, dialect)) return {};
    CachePlan out{.reads = !controls.no_cache,
                  .writes = !controls.no_store,
                  .ttl = controls.ttl ? controls.ttl : settings.ttl,
                  .max_age = controls.s_maxage,
                  .name_space = concat(settings.key_prefix, "/", controls.name_space)};
    if (!out.reads && !out.writes) return {};
    return out;
}

}  // namespace brigada
