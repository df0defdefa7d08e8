#include "plan/emit/emit.h"

#include <cmath>

#include "base/concat.h"
#include "plan/closed_form/front_door.h"
#include "plan/emit/engine_flags.h"

namespace brigada {

namespace {

/// What the engine behind one port does when it does nothing else.
struct ReplicaSpeed {
    double prefill_tokens_per_s = 0;
    double decode_tokens_per_s = 0;  // of one sequence
    double all_decode_tokens_per_s = 0;
};

ReplicaSpeed speed_of(const PlanOption& option) {
    const FleetFigures& figures = option.normal;
    const double calls = figures.calls_per_s / option.replicas;
    return {.prefill_tokens_per_s =
                calls * figures.uncached_per_call / std::max(1e-6, figures.read_busy),
            .decode_tokens_per_s = 1 / figures.tpot_s,
            .all_decode_tokens_per_s = figures.decode_batch / figures.tpot_s};
}

std::string yaml_quoted(const std::string& text) {
    std::string out = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') out += '\\';
        out += letter;
    }
    return out + "\"";
}

std::string engine_facts(const PlanRequest& request, const PlanOption& option) {
    const ReplicaSpeed speed = speed_of(option);
    std::string out = fmt::format(
        "        prefill_tokens_per_second: {:.0f}\n"
        "        decode_tokens_per_second: {:.0f}\n"
        "        kv_tokens: {}\n",
        std::max(1.0, speed.prefill_tokens_per_s), std::max(1.0, speed.decode_tokens_per_s),
        flags_of(request, option).kv_tokens);
    if (!option.money) return out;
    const double price = option.money->per_hour / option.accelerators();
    return out + fmt::format(
                     "        gpu_dollars_per_hour: {:.2f}\n"
                     "        gpus: {}\n"
                     "        total_decode_tokens_per_second: {:.0f}\n"
                     "        busy_share: {:.3f}\n"
                     "        throughput: measured\n",
                     price, option.candidate.accelerators(),
                     std::max(1.0, speed.all_decode_tokens_per_s),
                     request.working_hours_per_month / kHoursPerMonth);
}

std::string upstream(const PlanRequest& request, const PlanOption& option, uint32_t replica) {
    const std::string model = yaml_quoted(request.model_name);
    return fmt::format(
               "  - model_name: {0}\n"
               "    litellm_params:\n"
               "      model: {1}\n"
               "      api_base: http://127.0.0.1:{2}/v1\n"
               "      api_key: \"\"\n"
               "      max_parallel_requests: {3}\n"
               "    model_info:\n"
               "      id: replica-{4}\n"
               "      max_input_tokens: {5}\n"
               "      brigada:\n",
               model, yaml_quoted("openai/" + request.model_name), 8000 + replica,
               2 * max_sequences(option), replica, option.situation.deployment.max_context) +
           engine_facts(request, option);
}

std::string gateway_yaml(const PlanRequest& request, const PlanOption& option) {
    const double calls = option.normal.calls_per_s;
    const FrontDoor door =
        our_front_door(option.situation.workload, calls, request.spare_replicas > 0);
    const double slots = std::max(64.0, std::ceil(4 * option.degraded.running));
    std::string out = fmt::format(
        "# The front door of the plan: brigada gateway --config gateway.yaml\n"
        "# LITELLM_MASTER_KEY holds the key that administers it. The upstreams stand on this\n"
        "# machine, as the engines' scripts start them; put their addresses where they are "
        "elsewhere.\n"
        "general_settings:\n"
        "  master_key: os.environ/LITELLM_MASTER_KEY\n"
        "router_settings:\n"
        "  routing_strategy: session\n"
        "brigada:\n"
        "  slots: {:.0f}\n"
        "  replicas: {}\n"
        "  classes:\n"
        "    guaranteed: {{floor: {:.0f}, queue_requests: {:.0f}}}\n"
        "    standard: {{queue_requests: {:.0f}}}\n"
        "model_list:\n",
        slots, door.replicas, std::floor(slots / 4), queue_cap(calls, 30), queue_cap(calls, 30));
    for (uint32_t replica = 0; replica < option.replicas; ++replica)
        out += upstream(request, option, replica);
    return out;
}

std::string alarms_yaml(const Targets& targets) {
    std::string out =
        "# Rules for Prometheus: when one of them holds, the plan does not suffice any more.\n"
        "groups:\n"
        "  - name: brigada-plan\n"
        "    rules:\n";
    for (const Alarm& alarm : alarms_of(targets))
        out += fmt::format(
            "      - alert: {}\n"
            "        expr: {}\n"
            "        for: 5m\n"
            "        annotations: {{summary: {}}}\n",
            alarm.name, yaml_quoted(alarm.rule), yaml_quoted(alarm.what));
    return out;
}

}  // namespace

std::vector<Alarm> alarms_of(const Targets& targets) {
    const double ttft = targets.ttft_p90_s.value_or(0.5);
    return {{.name = "SlowFirstTokens",
             .what = fmt::format("the first token of one call in twenty takes longer than {:g} s",
                                 ttft),
             .rule = fmt::format("histogram_quantile(0.95, sum by (le) "
                                 "(rate(vllm:time_to_first_token_seconds_bucket[5m]))) > {:g}",
                                 ttft)},
            {.name = "CallsWaiting",
             .what = "more than 20 calls wait at one replica",
             .rule = "max(vllm:num_requests_waiting) > 20"},
            {.name = "LittleRoomForKv",
             .what = "running calls fill more than 80 % of a replica's KV",
             .rule = "max(vllm:kv_cache_usage_perc) > 0.8"},
            {.name = "CallsRefused",
             .what = "more than 1 % of all calls are refused at the front door",
             .rule = "sum(rate(brigada_refusals_total[5m])) > "
                     "0.01 * sum(rate(brigada_http_requests_total[5m]))"}};
}

std::vector<EmittedFile> emit(const PlanRequest& request, const PlanOption& option) {
    const EngineFlags flags = flags_of(request, option);
    return {
        {.name = "vllm.sh", .text = vllm_script(flags, option.replicas), .is_program = true},
        {.name = "sglang.sh", .text = sglang_script(flags, option.replicas), .is_program = true},
        {.name = "llama-server.sh",
         .text = llama_server_script(flags, option.replicas),
         .is_program = true},
        {.name = "gateway.yaml", .text = gateway_yaml(request, option)},
        {.name = "alarms.yaml", .text = alarms_yaml(request.targets)}};
}

}  // namespace brigada
