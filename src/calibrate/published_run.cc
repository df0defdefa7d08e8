#include "calibrate/published_run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <ranges>

#include "base/concat.h"
#include "base/joined.h"
#include "calibrate/fit.h"
#include "trace/csv_table.h"

namespace brigada {

namespace {

constexpr double kMostTokens = 1e8;
constexpr double kMostFigure = 1e9;
constexpr uint32_t kClosedRounds = 8;  // requests of each client that waits for its answers

constexpr double kKnee = 0.3;  // of logarithms; some pages measured something else

struct Format {
    std::string_view name;
    double bytes;  // per parameter, scales included
    ComputeDtype compute;
    bool experts_only = false;
};

constexpr Format kFormats[] = {
    {"bf16", 2, ComputeDtype::bf16},
    {"fp8", 1, ComputeDtype::fp8},
    {"nvfp4", 0.5 + 1.0 / 16, ComputeDtype::fp4},        // a byte of scale for 16 numbers
    {"mxfp4", 0.5 + 1.0 / 32, ComputeDtype::fp4, true},  // and for 32
    {"int4", 0.5 + 2.5 / 128, ComputeDtype::bf16},       // scale and zero for 128
    {"q4_k_m", 0.604, ComputeDtype::bf16},               // 4.83 bits, some matrices in Q6_K
    {"q4_0", 0.5 + 2.0 / 32, ComputeDtype::bf16},
};

uint32_t whole(double number) {
    return static_cast<uint32_t>(std::llround(number));
}

/// What engines set when nothing is said; the pages say little.
void set_engine_limits(PublishedRun& run) {
    const bool large = run.placement.accelerator.memory_bytes > (70ull << 30);
    const bool tensorrt = run.engine == "TensorRT-LLM";
    run.load.step_tokens = large ? 8192 : 2048;
    run.load.max_running = tensorrt ? 2048 : large ? 1024 : 256;
    if (run.engine == "llama.cpp") run.load.step_tokens = 512;  // one ubatch
}

/// "closed:16", "burst:1000", "batch:8".
Result<void> set_load(PublishedRun& run, std::string_view word) {
    const size_t colon = std::min(word.find(':'), word.size());
    const std::string_view kind = word.substr(0, colon);
    const std::string_view count = word.substr(std::min(colon + 1, word.size()));
    uint32_t n = 0;
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), n);
    if (error != std::errc() || end != count.data() + count.size() || n == 0)
        return Error{Code::corrupt, concat("load is \"", word, "\"; closed:16 would work")};
    run.load.concurrency = n;
    run.load.requests = kind == "closed" ? n * kClosedRounds : n;
    if (kind == "batch") run.load.step_tokens = std::max(n * run.load.prompt_tokens, n);
    if (kind == "closed" || kind == "burst" || kind == "batch") return {};
    return Error{Code::corrupt,
                 concat("load is \"", word, "\"; closed:C, burst:N and batch:B are known")};
}

Result<double> figure(const CsvTable& row, std::string_view column) {
    TRY(const std::string_view field, row.text(column));
    if (field.empty()) return 0.0;
    return row.number(column, 1e-9, kMostFigure);
}

/// Models and accelerators, looked up once each.
class Catalogue {
  public:
    Result<ModelGeometry> model(const std::string& name, const std::string& format) {
        const auto [found, is_new] = models_.try_emplace({name, format});
        if (is_new) {
            TRY(ModelGeometry plain, find_geometry(name));
            TRY(found->second, with_weights(std::move(plain), format));
        }
        return found->second;
    }

  private:
    std::map<std::pair<std::string, std::string>, ModelGeometry> models_;
};

/// What the names of a row stand for.
Result<void> look_up(PublishedRun& run, const std::string& weights, std::string_view kv,
                     std::string_view load, Catalogue& catalogue) {
    Placement& d = run.placement;
    TRY(d.model, catalogue.model(run.model, weights));
    TRY(d.accelerator, find_accelerator(run.accelerator));
    TRY(d.kv_dtype, parse_kv_dtype(kv));
    set_engine_limits(run);
    return set_load(run, load);
}

Result<PublishedRun> read_row(const CsvTable& row, Catalogue& catalogue) {
    TRY(row.check_row());
    PublishedRun run;
    TRY(run.model, row.text("model"));
    TRY(run.accelerator, row.text("accelerator"));
    TRY(run.engine, row.text("engine"));
    TRY(run.source, row.text("source"));
    TRY(const std::string_view weights, row.text("weights"));
    TRY(const std::string_view kv, row.text("kv"));
    TRY(const std::string_view load, row.text("load"));
    TRY(const double tp, row.number("tp", 1, 1024));
    TRY(const double dp, row.number("dp", 1, 1024));
    TRY(const double ep, row.number("ep", 1, 1024));
    TRY(const double prompt, row.number("prompt_tokens", 0, kMostTokens));
    TRY(const double output, row.number("output_tokens", 0, kMostTokens));
    TRY(const double ttft_ms, figure(row, "ttft_ms"));
    TRY(const double tpot_ms, figure(row, "tpot_ms"));
    TRY(run.output_tok_s, figure(row, "output_tok_s"));
    run.ttft_s = ttft_ms / 1e3;
    run.tpot_s = tpot_ms / 1e3;
    run.load.prompt_tokens = std::max(whole(prompt), 1u);
    run.load.output_tokens = std::max(whole(output), 1u);

    Placement& d = run.placement;
    d.tp = whole(tp);
    d.dp = whole(dp);
    d.ep = whole(ep);
    d.max_context = run.load.prompt_tokens + run.load.output_tokens;
    Result<void> known = look_up(run, std::string(weights), kv, load, catalogue);
    if (!known.ok()) return std::move(known).error().in(row.place().text());
    return run;
}

double log_ratio(double predicted, double published) {
    return std::log(std::max(predicted, 1e-9) / published);
}

/// A figure that was published, and what came out for it.
struct Pair {
    double predicted = 0, published = 0;
    double weight = 1;
};

std::vector<Pair> figures(const PublishedRun& run, const EngineFit& fit) {
    const UniformResult result = predict(run, fit);
    std::vector<Pair> out;
    const bool queues = run.load.requests == run.load.concurrency && run.load.concurrency > 64;
    // A queue's wait follows from the throughput and is noted for what it is: once is enough.
    if (run.ttft_s > 0) out.push_back({result.ttft_s, run.ttft_s, queues ? 0.3 : 0.7});
    if (run.tpot_s > 0) out.push_back({result.tpot_s, run.tpot_s, 1});
    if (run.output_tok_s > 0) out.push_back({result.output_tok_s, run.output_tok_s, 1});
    return out;
}

}  // namespace

Result<ModelGeometry> with_weights(ModelGeometry model, std::string_view format) {
    const auto* found = std::ranges::find(kFormats, format, &Format::name);
    if (found == std::end(kFormats)) {
        return Error{Code::invalid_argument,
                     concat("weights are \"", format, "\"; known are ",
                            joined(kFormats | std::views::transform(&Format::name)))};
    }
    for (LayerGeometry& layer : model.layers) {
        layer.expert_param_bytes = found->bytes;
        layer.attention_param_bytes = found->experts_only ? 2 : found->bytes;
        layer.dense_param_bytes = found->experts_only ? 2 : found->bytes;
    }
    model.compute = found->compute;
    return model;
}

Result<PublishedTable> read_published_runs(std::string_view csv, std::string_view what) {
    TRY(TraceText text, TraceText::open(std::string(what), csv));
    TRY(CsvTable table, CsvTable::open(text));
    PublishedTable out;
    Catalogue catalogue;
    for (size_t row = 1;; ++row) {
        TRY(const bool is_there, table.next_row());
        if (!is_there) return out;
        TRY(PublishedRun run, read_row(table, catalogue));
        run.row = row;
        const Result<MemoryBudget> budget = memory_budget(run.placement);
        if (!budget) {
            out.left_out.push_back(concat(run.model, " on ", run.placement.accelerators(), " x ",
                                          run.accelerator, ": ", budget.error().message));
            continue;
        }
        run.load.kv_tokens = budget->kv_tokens;
        out.runs.push_back(std::move(run));
    }
}

UniformResult predict(const PublishedRun& run, const EngineFit& fit) {
    return run_uniform(run.load, StepCost(step_coefficients(run.placement, fit)));
}

EngineFit fit_to_published(std::span<const PublishedRun* const> runs, const EngineFit& start) {
    bool with_links = false;
    for (const PublishedRun* run : runs)
        with_links |= run->placement.accelerators() > 1;
    const auto residuals = [&](std::span<const double> values) {
        const EngineFit fit = with_free(start, values);
        std::vector<double> out;
        for (const PublishedRun* run : runs)
            for (const Pair& pair : figures(*run, fit)) {
                const double error = pair.weight * log_ratio(pair.predicted, pair.published);
                out.push_back(tamed(error, kKnee));
            }
        return out;
    };
    LeastSquaresLimits limits;
    limits.prior = 0.3;
    limits.difference = 0.02;
    return with_free(start, least_squares(residuals, free_parameters(start, with_links), limits));
}

}  // namespace brigada
