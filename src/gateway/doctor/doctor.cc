#include "gateway/doctor/doctor.h"

#include "base/concat.h"
#include "gateway/doctor/checks.h"
#include "gateway/not_yet.h"

namespace brigada {

namespace {

struct Check {
    const char* name;
    void (*run)(const GatewayConfig&, Findings&);
};

constexpr Check kChecks[] = {
    {"data", check_data_folder},    {"stores", check_stores}, {"listen", check_listening},
    {"files", check_open_files},    {"clock", check_clock},   {"tokens", check_tokenizers},
    {"upstreams", check_upstreams}, {"prices", check_prices},
};

void add_lines(const std::string& text, Findings& findings) {
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        findings.fault(text.substr(at, end - at), "correct the file");
        at = end + 1;
    }
}

/// Nothing when it can't be used: the findings say why.
std::optional<GatewayConfig> read_config(const Path& path, const Environ& environment,
                                         Findings& findings) {
    auto loaded = load_config(path, environment);
    if (!loaded.ok()) {
        add_lines(loaded.error().message, findings);
        return std::nullopt;
    }
    for (const std::string& warning : loaded->warnings)
        findings.warn(warning, "correct or remove it");
    for (const std::string& line : not_yet(loaded->config))
        findings.warn(line, "do not rely on it");
    if (loaded->config.general.master_key.empty())
        findings.warn("no master key, so nobody can make keys", "set LITELLM_MASTER_KEY");
    const size_t count = loaded->config.deployments.size();
    findings.ok(concat(path.string(), ": ", count, count == 1 ? " deployment" : " deployments"));
    return std::move(loaded->config);
}

}  // namespace

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::ok:
            return "ok";
        case Verdict::warning:
            return "warning";
        case Verdict::fault:
            break;
    }
    return "fault";
}

std::vector<Finding> examine(const Path& path, const Environ& environment,
                             const std::function<Result<void>(GatewayConfig&)>& change) {
    Findings of_config("config");
    auto config = read_config(path, environment, of_config);
    if (config) {
        const auto changed = change(*config);
        if (!changed.ok()) of_config.fault(changed.error().message, "correct the command line");
    }
    std::vector<Finding> out = of_config.take();
    if (!config) return out;
    for (const Check& check : kChecks) {
        Findings findings(check.name);
        check.run(*config, findings);
        for (Finding& finding : findings.take())
            out.push_back(std::move(finding));
    }
    return out;
}

}  // namespace brigada
