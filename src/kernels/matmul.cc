// How a matmul is spread: activations are converted once, panels of all jobs are numbered in a row,
// and the pool takes rectangles of (consecutive panels) x (rows of activations). The rectangles
// change speed only, never a bit of the result.
#include "kernels/matmul.h"

#include <algorithm>
#include <cstring>

#include "base/half.h"
#include "kernels/matmul_kernels.h"

namespace brigada {
namespace {

constexpr size_t kL2Bytes = 192 << 10;     // of activations, and of panels: half a small L2 each
constexpr size_t kTasksPerThread = 8;      // so that a slow core leaves work to the others
constexpr size_t kSerialBytes = 16 << 10;  // activations worth a fan-out of their own

size_t ceil_div(size_t a, size_t b) {
    return (a + b - 1) / b;
}

/// What a matrix wants its activations to be.
enum class Form { groups, halves, floats };

Form form_of(const Matrix& w) {
    if (w.compute() == Compute::exact) return Form::floats;
    if (is_quantised(w.type())) return Form::groups;
    const bool dots = w.type() == WeightType::bf16 && w.kernels().multiply_bf16_dot != nullptr;
    return dots ? Form::halves : Form::floats;
}

/// Rows of activations in one form.
struct Rows {
    const std::byte* data = nullptr;
    size_t stride = 0;  // bytes
};

/// The activations of one call in every form its jobs want.
class Activations {
  public:
    Activations(std::span<const MatmulJob> jobs, const float* acts, size_t m,
                MatmulScratch& scratch, Pool& pool)
        : acts_(acts), m_(m), cols_(jobs[0].weights->cols()), pool_(pool) {
        for (const MatmulJob& job : jobs) {
            const Form form = form_of(*job.weights);
            if (rows_[index(form)].data == nullptr) convert(form, *job.weights, scratch);
        }
    }

    const Rows& rows(Form form) const { return rows_[index(form)]; }

  private:
    static size_t index(Form form) { return static_cast<size_t>(form); }

    void convert(Form form, const Matrix& w, MatmulScratch& scratch) {
        switch (form) {
            case Form::groups:
                return quantise(w.kernels(), scratch.groups);
            case Form::halves:
                return round_to_bf16(w.layout().cols, scratch.halves);
            case Form::floats:
                return pad(w.layout().cols, scratch.floats);
        }
    }

    void quantise(const MatmulKernels& kernels, AlignedBuffer& buffer) {
        const size_t groups = cols_ / kGroupCols;
        Rows& to = take(Form::groups, buffer, groups * sizeof(ActivationGroup));
        for_rows([&](size_t i) {
            kernels.quantise(acts_ + i * cols_, groups,
                             reinterpret_cast<ActivationGroup*>(buffer.data() + i * to.stride));
        });
    }

    void round_to_bf16(size_t padded, AlignedBuffer& buffer) {
        Rows& to = take(Form::halves, buffer, padded * 2);
        for_rows([&](size_t i) {
            auto* row = reinterpret_cast<uint16_t*>(buffer.data() + i * to.stride);
            for (size_t c = 0; c < cols_; ++c)
                row[c] = float_to_bf16(acts_[i * cols_ + c]);
            std::fill(row + cols_, row + padded, uint16_t{0});
        });
    }

    void pad(size_t padded, AlignedBuffer& buffer) {
        if (padded == cols_) {
            rows_[index(Form::floats)] = {reinterpret_cast<const std::byte*>(acts_), cols_ * 4};
            return;
        }
        Rows& to = take(Form::floats, buffer, padded * 4);
        for_rows([&](size_t i) {
            auto* row = reinterpret_cast<float*>(buffer.data() + i * to.stride);
            std::copy_n(acts_ + i * cols_, cols_, row);
            std::fill(row + cols_, row + padded, 0.0f);
        });
    }

    Rows& take(Form form, AlignedBuffer& buffer, size_t stride) {
        buffer.reserve(m_ * stride);
        return rows_[index(form)] = {buffer.data(), stride};
    }

    template <typename F>
    void for_rows(F&& convert_row) {
        const size_t tasks =
            m_ * cols_ * 4 < kSerialBytes ? 1 : std::min<size_t>(m_, pool_.threads() * 4);
        pool_.run(tasks, [&](size_t task, unsigned) {
            for (size_t i = m_ * task / tasks; i < m_ * (task + 1) / tasks; ++i)
                convert_row(i);
        });
    }

    const float* acts_;
    size_t m_;
    size_t cols_;
    Pool& pool_;
    Rows rows_[3];
};

/// The rectangles: every task takes `panels` panels (of all jobs, numbered in a row) and `rows`
/// rows.
struct Split {
    size_t all_panels = 0;
    size_t panels = 0;
    size_t all_rows = 0;
    size_t rows = 0;

    size_t row_blocks() const { return ceil_div(all_rows, rows); }
    size_t tasks() const { return ceil_div(all_panels, panels) * row_blocks(); }
};

Split split_work(std::span<const MatmulJob> jobs, const Activations& acts, size_t m,
                 size_t threads) {
    Split split{.all_rows = m};
    size_t panel_bytes = 1;
    size_t act_bytes = 1;
    for (const MatmulJob& job : jobs) {
        split.all_panels += job.weights->panels();
        panel_bytes = std::max(panel_bytes, job.weights->layout().bytes);
        act_bytes = std::max(act_bytes, acts.rows(form_of(*job.weights)).stride);
    }
    const size_t tile = jobs[0].weights->kernels().tile_rows;
    split.rows = std::min(m, std::max<size_t>(2 * tile, kL2Bytes / act_bytes / tile * tile));
    const size_t fair = split.all_panels * split.row_blocks() / (threads * kTasksPerThread);
    const size_t fits = m == 1 ? split.all_panels : std::max<size_t>(1, kL2Bytes / panel_bytes);
    split.panels = std::clamp<size_t>(fair, 1, fits);
    return split;
}

PanelView view_of(const PanelLayout& layout, std::span<const std::byte> panel) {
    return {panel.data() + layout.supers, panel.data() + layout.scales, panel.data() + layout.codes,
            layout.cols};
}

/// One panel of one job against rows first .. first + count of the activations.
void run_panel(const MatmulJob& job, size_t panel, const Activations& acts, size_t first,
               size_t count, float* unpacked) {
    const Matrix& w = *job.weights;
    const MatmulKernels& kernels = w.kernels();
    const Form form = form_of(w);
    const Rows& rows = acts.rows(form);
    PanelTask task{.panel = view_of(w.layout(), w.panel(panel)),
                   .acts = rows.data + first * rows.stride,
                   .act_stride = rows.stride,
                   .m = count,
                   .out = job.out + first * w.rows() + panel * kPanelRows,
                   .out_stride = w.rows(),
                   .lanes = std::min(kPanelRows, w.rows() - panel * kPanelRows),
                   .accumulate = job.accumulate};
    auto multiply = kernels.multiply[static_cast<size_t>(w.type())];
    if (form == Form::halves) multiply = kernels.multiply_bf16_dot;
    if (form == Form::floats && is_quantised(w.type())) {
        kernels.unpack[static_cast<size_t>(w.type())](task.panel, unpacked);
        task.panel.codes = reinterpret_cast<const std::byte*>(unpacked);
        multiply = kernels.multiply[static_cast<size_t>(WeightType::f32)];
    }
    multiply(task);
}

/// Floats each worker needs to unpack a panel; 0 when no job unpacks.
size_t unpacked_floats(std::span<const MatmulJob> jobs) {
    for (const MatmulJob& job : jobs)
        if (form_of(*job.weights) == Form::floats && is_quantised(job.weights->type()))
            return job.weights->layout().cols * kPanelRows;
    return 0;
}

void check_jobs(std::span<const MatmulJob> jobs) {
    for (const MatmulJob& job : jobs) {
        CHECK(job.weights->cols() == jobs[0].weights->cols(), job.weights->cols(), " columns and ",
              jobs[0].weights->cols());
        CHECK(&job.weights->kernels() == &jobs[0].weights->kernels());
    }
}

}  // namespace

void matmul(std::span<const MatmulJob> jobs, const float* acts, size_t m, MatmulScratch& scratch,
            Pool& pool) {
    if (jobs.empty() || m == 0) return;
    check_jobs(jobs);
    const Activations activations(jobs, acts, m, scratch, pool);
    const Split split = split_work(jobs, activations, m, pool.threads());
    const size_t unpacked = unpacked_floats(jobs);
    scratch.panels.reserve(pool.threads() * unpacked * sizeof(float));

    pool.run(split.tasks(), [&](size_t task, unsigned worker) {
        const size_t first_row = task % split.row_blocks() * split.rows;
        const size_t count = std::min(split.rows, m - first_row);
        float* buffer = reinterpret_cast<float*>(scratch.panels.data()) + worker * unpacked;
        size_t panel = task / split.row_blocks() * split.panels;
        const size_t end = std::min(panel + split.panels, split.all_panels);
        size_t before = 0;  // panels of the jobs already passed
        for (const MatmulJob& job : jobs) {
            const size_t until = before + job.weights->panels();
            for (; panel < std::min(end, until); ++panel)
                run_panel(job, panel - before, activations, first_row, count, buffer);
            before = until;
        }
    });
}

void matmul(const Matrix& weights, const float* acts, size_t m, float* out, MatmulScratch& scratch,
            Pool& pool, bool accumulate) {
    const MatmulJob job{&weights, out, accumulate};
    matmul({&job, 1}, acts, m, scratch, pool);
}

}  // namespace brigada
