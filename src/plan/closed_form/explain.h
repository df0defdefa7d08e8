// Explaining a plan: each function adds one section of lines to a page, computing as it explains.
// explain() is all of them for a chosen plan.
#pragma once

#include "plan/candidate.h"
#include "plan/page.h"

namespace brigada {

/// People, amplification, duty, calls per second, calls in flight (Little's law).
void explain_demand(PlanPage& page, const Workload& workload, double people,
                    const FleetFigures& figures);

/// What share of a recorded session a person's calls take: decoding at `tokens_per_s`, and what
/// reading and waiting add.
void explain_duty(PlanPage& page, const Workload& workload, double tokens_per_s, double answer_s);

/// KV of a token, by kinds of layers; of a rank; of a sequence of `tokens`, in GiB and GB.
void explain_kv(PlanPage& page, const ModelGeometry& model, KvDtype dtype, uint32_t tp,
                double tokens);

/// Memory of one rank, blocks, tokens, and how many sequences of `tokens` fit into a replica.
void explain_memory(PlanPage& page, const Placement& deployment, const MemoryBudget& memory,
                    double tokens);

/// How long a sequence's KV takes over a link, once, K and V together.
void explain_move(PlanPage& page, double kv_bytes, double link_bytes_per_s);

/// Age of eviction, what is found, what must be read.
void explain_reuse(PlanPage& page, const Situation& situation, const FleetFigures& figures);

/// A step, TPOT, reading, waiting, percentiles.
void explain_speed(PlanPage& page, const Situation& situation, const FleetFigures& figures);

void explain_money(PlanPage& page, const PlanRequest& request, const PlanOption& option);

PlanPage explain(const PlanRequest& request, const PlanOption& option);

}  // namespace brigada
