#include "sched/config.h"

namespace brigada {
namespace {

Result<void> at_least(std::string_view name, uint64_t value, uint64_t least) {
    if (value >= least) return {};
    return Error{Code::invalid_argument,
                 concat(name, " is ", value, "; it must be at least ", least)};
}

}  // namespace

Result<void> check_config(const SchedulerConfig& config) {
    TRY(at_least("max_running", config.max_running, 1));
    TRY(at_least("max_context", config.max_context, 2));
    TRY(at_least("max_waiting", config.max_waiting, 1));
    if (config.step_tokens < config.max_running)
        return Error{
            Code::invalid_argument,
            concat("step_tokens is ", config.step_tokens, "; it must be at least max_running, ",
                   config.max_running, ", so that every running sequence gets a token")};
    if (config.watermark_permille > 500)
        return Error{Code::invalid_argument,
                     concat("watermark_permille is ", config.watermark_permille,
                            "; at most 500, half of the blocks, works")};
    if (config.ageing <= Duration())
        return Error{Code::invalid_argument, "ageing must be longer than nothing"};
    return {};
}

}  // namespace brigada
