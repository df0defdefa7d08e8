#include "sched/plan_digest.h"

#include <algorithm>

namespace brigada {
namespace {

uint64_t mix(uint64_t digest, uint64_t value) {
    uint64_t z = (digest ^ value) + 0x9e3779b97f4a7c15;  // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

uint64_t digest_of(uint64_t digest, const Plan& plan) {
    digest = mix(digest, plan.step);
    for (const BlockCopy& copy : plan.copies)
        digest = mix(mix(digest, raw(copy.from)), raw(copy.to));
    for (const Chunk& chunk : plan.chunks)
        digest = mix(mix(mix(digest, raw(chunk.sequence)), chunk.first), chunk.count);
    for (const SequenceId id : plan.preempted)
        digest = mix(digest, raw(id));
    for (const SequenceId id : plan.expired)
        digest = mix(digest, raw(id));
    return digest;
}

bool only_decodes(const Plan& plan) {
    const auto decodes = [](const Chunk& chunk) { return chunk.samples && chunk.count == 1; };
    return plan.copies.empty() && plan.preempted.empty() && plan.expired.empty() &&
           std::ranges::all_of(plan.chunks, decodes);
}

}  // namespace

void PlanDigest::add(const Plan& plan, uint32_t steps) {
    if (!goes_on(plan)) {
        digest_ = digest_of(value(), plan);
        decodes_.clear();
        if (only_decodes(plan)) decodes_ = plan.chunks;
        steps_ = 0;
    }
    steps_ += steps;
    for (Chunk& chunk : decodes_)
        chunk.first += steps;
}

bool PlanDigest::goes_on(const Plan& plan) const {
    const auto same = [](const Chunk& a, const Chunk& b) {
        return a.sequence == b.sequence && a.first == b.first;
    };
    return !decodes_.empty() && only_decodes(plan) &&
           std::ranges::equal(decodes_, plan.chunks, same);
}

uint64_t PlanDigest::value() const {
    return decodes_.empty() ? digest_ : mix(digest_, steps_);
}

}  // namespace brigada
