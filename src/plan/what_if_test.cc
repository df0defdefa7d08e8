#include "plan/what_if.h"

#include <gtest/gtest.h>

#include "plan/plan_test_parts.h"
#include "plan/report.h"

namespace brigada {
namespace {

PlanRequest ten_developers() {
    PlanRequest request;
    request.developers = 10;
    request.workload = *find_workload("claude-code", 40'960);
    request.profile = *builtin_profile("claude-code");
    request.model = model_config("Qwen__Qwen3-32B-FP8");
    request.model_name = "Qwen/Qwen3-32B-FP8";
    request.accelerators = {*find_accelerator("H100 SXM 80GB")};
    request.targets = default_targets();
    return request;
}

class WhatIf : public testing::Test {
  protected:
    const GridPoint& at(double people, uint32_t replicas, double context) const {
        for (const GridPoint& point : grid_)
            if (point.people == people && point.replicas == replicas && point.context == context)
                return point;
        ADD_FAILURE() << people << " people, " << replicas << " replicas";
        return grid_.front();
    }

    PlanRequest request_ = ten_developers();
    PlanOption plan_ = *make_plan(request_)->chosen;
    std::vector<GridPoint> grid_ = *simulated_grid(request_, plan_, 1, 2);
};

TEST_F(WhatIf, simulations_answer_as_the_arithmetic_does_but_not_the_same) {
    const FleetFigures& simulated = at(10, plan_.replicas, 1).figures;
    EXPECT_NEAR(simulated.tpot_s, plan_.normal.tpot_s, 0.25 * plan_.normal.tpot_s);
    EXPECT_NEAR(simulated.hit_rate, plan_.normal.hit_rate, 0.05);
    EXPECT_NE(simulated.ttft_p90_s, plan_.normal.ttft_p90_s);
    const FleetFigures &few = at(5, plan_.replicas, 1).figures,
                       &many = at(30, plan_.replicas, 1).figures,
                       &longer = at(10, plan_.replicas, 2).figures,
                       &more = at(30, plan_.replicas + 2, 1).figures;
    EXPECT_GT(many.tpot_s, few.tpot_s);
    EXPECT_GT(longer.ttft_p90_s, simulated.ttft_p90_s);
    EXPECT_LT(more.tpot_s, many.tpot_s);
}

TEST_F(WhatIf, threads_change_nothing) {
    const std::vector<GridPoint> alone = *simulated_grid(request_, plan_, 1, 1);
    ASSERT_EQ(alone.size(), grid_.size());
    for (size_t i = 0; i < grid_.size(); ++i)
        EXPECT_EQ(alone[i].figures.ttft_p90_s, grid_[i].figures.ttft_p90_s);
}

}  // namespace
}  // namespace brigada
