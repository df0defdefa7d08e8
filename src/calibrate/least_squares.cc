#include "calibrate/least_squares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace brigada {

namespace {

using Vector = std::vector<double>;

/// Solves a x = b; a is symmetric and positive definite, row by row (Cholesky).
Vector solve(std::vector<Vector> a, Vector b) {
    const size_t n = b.size();
    for (size_t j = 0; j < n; ++j) {
        for (size_t k = 0; k < j; ++k)
            a[j][j] -= a[j][k] * a[j][k];
        a[j][j] = std::sqrt(std::max(a[j][j], 1e-300));
        for (size_t i = j + 1; i < n; ++i) {
            for (size_t k = 0; k < j; ++k)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < i; ++k)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; ++k)
            b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
    return b;
}

double dot(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The search, in logarithms of the parameters.
class Search {
  public:
    Search(const Residuals& residuals, const std::vector<FreeParameter>& parameters,
           const LeastSquaresLimits& limits)
        : model_(residuals), parameters_(parameters), limits_(limits) {
        for (const FreeParameter& p : parameters) {
            CHECK(0 < p.least && p.least <= p.start && p.start <= p.most, p.start);
            at_.push_back(std::log(p.start));
        }
        residuals_ = residuals_at(at_);
    }

    Vector run() {
        double damping = 0.01;
        for (int step = 0; step < limits_.steps; ++step) {
            const std::vector<Vector> slopes = slopes_here();
            const double before = dot(residuals_, residuals_);
            while (damping < 1e4 && !improve(slopes, damping))
                damping *= 8;
            const double after = dot(residuals_, residuals_);
            if (after > before * (1 - limits_.enough)) break;
            damping = std::max(damping / 16, 1e-6);
        }
        return values(at_);
    }

  private:
    Vector values(const Vector& logs) const {
        Vector out;
        for (const double log : logs)
            out.push_back(std::exp(log));
        return out;
    }

    Vector residuals_at(const Vector& logs) const {
        Vector out = model_(values(logs));
        for (size_t i = 0; i < logs.size(); ++i)
            out.push_back(limits_.prior * (logs[i] - std::log(parameters_[i].start)));
        return out;
    }

    double within(size_t parameter, double log) const {
        const FreeParameter& p = parameters_[parameter];
        return std::clamp(log, std::log(p.least), std::log(p.most));
    }

    /// Of each parameter, how the residuals change with its logarithm. It moves away from a bound.
    std::vector<Vector> slopes_here() const {
        std::vector<Vector> slopes;
        for (size_t i = 0; i < at_.size(); ++i) {
            Vector moved = at_;
            moved[i] = within(i, at_[i] + limits_.difference);
            if (moved[i] - at_[i] < limits_.difference / 2) moved[i] = at_[i] - limits_.difference;
            Vector slope = residuals_at(moved);
            for (size_t r = 0; r < slope.size(); ++r)
                slope[r] = (slope[r] - residuals_[r]) / (moved[i] - at_[i]);
            slopes.push_back(std::move(slope));
        }
        return slopes;
    }

    /// Goes there, when it is better there.
    bool improve(const std::vector<Vector>& slopes, double damping) {
        const size_t n = slopes.size();
        std::vector<Vector> normal(n, Vector(n));
        Vector downhill(n);
        for (size_t i = 0; i < n; ++i) {
            for (size_t j = 0; j < n; ++j)
                normal[i][j] = dot(slopes[i], slopes[j]);
            normal[i][i] = normal[i][i] * (1 + damping) + 1e-12;
            downhill[i] = -dot(slopes[i], residuals_);
        }
        const Vector step = solve(normal, downhill);
        Vector there = at_;
        for (size_t i = 0; i < n; ++i)
            there[i] = within(i, at_[i] + std::clamp(step[i], -0.7, 0.7));  // at most to the double
        Vector found = residuals_at(there);
        if (dot(found, found) >= dot(residuals_, residuals_)) return false;
        at_ = std::move(there);
        residuals_ = std::move(found);
        return true;
    }

    const Residuals& model_;
    const std::vector<FreeParameter>& parameters_;
    LeastSquaresLimits limits_;
    Vector at_;
    Vector residuals_;
};

}  // namespace

double tamed(double error, double knee) {
    const double size = std::abs(error);
    return size <= knee ? error : std::copysign(std::sqrt(2 * knee * size - knee * knee), error);
}

std::vector<double> least_squares(const Residuals& residuals,
                                  const std::vector<FreeParameter>& parameters,
                                  const LeastSquaresLimits& limits) {
    return Search(residuals, parameters, limits).run();
}

}  // namespace brigada
