// ComputeContext: what every layer of a step computes with: the pool, the kernels of this machine's
// instruction set, and scratch memory that is kept from step to step.
#pragma once

#include <vector>

#include "hw/cpu.h"
#include "kernels/attention.h"
#include "kernels/elementwise.h"
#include "kernels/matmul.h"
#include "kernels/pool.h"

namespace brigada {

class ComputeContext {
  public:
    ComputeContext(unsigned threads, Isa isa)
        : pool_(threads), isa_(isa), elementwise_(elementwise_kernels(isa)) {}

    Pool& pool() { return pool_; }
    Isa isa() const { return isa_; }
    const ElementwiseKernels& elementwise() const { return elementwise_; }
    MatmulScratch& matmul_scratch() { return matmul_scratch_; }
    AttentionScratch& attention_scratch() { return attention_scratch_; }

  private:
    Pool pool_;
    Isa isa_;
    const ElementwiseKernels& elementwise_;
    MatmulScratch matmul_scratch_;
    AttentionScratch attention_scratch_;
};

}  // namespace brigada
