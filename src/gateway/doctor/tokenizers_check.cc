// The tokenizers: each is opened as the front door would.
#include "base/concat.h"
#include "gateway/doctor/checks.h"
#include "gateway/token_counters.h"

namespace brigada {

namespace {

std::string how_it_counts(const PromptCounter& counter) {
    if (!counter.has_template()) return "prompts of completions are counted; there is no template";
    const AppendLaw& law = counter.law();
    const bool appends = law.calls_after_user || law.turns_after_user || law.calls_after_tool;
    return appends ? "prompts are counted, of a next turn what is new"
                   : "prompts are counted, each turn as a whole";
}

}  // namespace

void check_tokenizers(const GatewayConfig& config, Findings& findings) {
    const TokenCounters counters = TokenCounters::open(config);
    for (const std::string& warning : counters.warnings())
        findings.warn(warning, "correct it, or pull it: brigada model pull");
    for (const Deployment& deployment : config.deployments) {
        const std::string who = concat(deployment.model_name, " (", deployment.id, ")");
        if (is_engine_of_up(deployment))
            findings.ok(who + ": prompts are counted by the engine's own tokenizer");
        else if (const CounterRef counter = counters.of(deployment))
            findings.ok(concat(who, ": ", how_it_counts(counter->counter)));
        else if (deployment.tokenizer.identifier.empty())
            findings.ok(who + ": prompts are estimated; custom_tokenizer would count them");
    }
}

}  // namespace brigada
