#include "gateway/not_yet.h"

#include "base/concat.h"

namespace brigada {

namespace {

class Notes {
  public:
    void add(bool asked, std::string_view key, std::string_view instead) {
        if (asked) lines_.push_back(concat(key, ": not in effect yet; ", instead));
    }
    void say(std::string line) { lines_.push_back(std::move(line)); }
    std::vector<std::string> take() { return std::move(lines_); }

  private:
    std::vector<std::string> lines_;
};

void note_router(const RouterSettings& router, Notes& notes) {
    notes.add(router.affinity.by_key || router.affinity.by_previous_response ||
                  router.affinity.by_cached_prompt,
              "optional_pre_call_checks but session_affinity", "sessions are bound as always");
}

void note_general(const GeneralSettings& general, Notes& notes) {
    notes.add(general.drops_unsupported_params, "drop_params", "every field is passed on");
}

}  // namespace

std::vector<std::string> not_yet(const GatewayConfig& config) {
    Notes notes;
    note_router(config.router, notes);
    note_general(config.general, notes);
    notes.add(config.cache.enabled && config.cache.store == CacheSettings::Store::redis,
              "cache_params.type redis", "answers are kept in the memory of this process");
    if (config.redis.is_given() && !config.brigada.replicas)
        notes.say(
            "brigada.replicas: not given, so each gateway takes itself for the only one: alone, "
            "without Redis, it would use the whole of every limit");
    return notes.take();
}

}  // namespace brigada
