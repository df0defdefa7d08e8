#include "trace/trace_builder.h"

#include <algorithm>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

void append(std::vector<BlockRun>& runs, uint32_t name) {
    if (!runs.empty() && runs.back().first + runs.back().count == name)
        ++runs.back().count;
    else
        runs.push_back({name, 1});
}

}  // namespace

void PromptChain::keep(uint32_t blocks) {
    CHECK(blocks <= names_.size());
    before_.assign(names_.begin() + blocks, names_.end());
    names_.resize(blocks);
    kept_ = blocks;
}

void PromptChain::add(uint32_t name) {
    names_.push_back(name);
}

void PromptChain::add_run(uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        add(first + i);
}

void PromptChain::end(TraceCall& call) {
    uint32_t more = 0;  // blocks that are there again although keep() didn't say so
    while (more < before_.size() && kept_ + more < names_.size() &&
           before_[more] == names_[kept_ + more])
        ++more;
    call.keep_blocks = kept_ + more;
    call.added.clear();
    for (size_t i = call.keep_blocks; i < names_.size(); ++i)
        append(call.added, names_[i]);
    call.added.shrink_to_fit();
    before_.clear();
    kept_ = blocks();
}

Result<void> TraceBuilder::set_block_tokens(uint32_t tokens) {
    if (trace_.block_tokens != 0 && trace_.block_tokens != tokens)
        return Error{Code::invalid_argument,
                     concat("blocks of ", tokens, " tokens; what was read before has blocks of ",
                            trace_.block_tokens, ": import them apart")};
    trace_.block_tokens = tokens;
    return {};
}

uint32_t TraceBuilder::add(TraceSession session) {
    trace_.sessions.push_back(std::move(session));
    return static_cast<uint32_t>(trace_.sessions.size() - 1);
}

uint32_t TraceBuilder::index_of(std::string_view name, std::vector<std::string>& list,
                                Index& index) {
    const auto found = index.find(name);
    if (found != index.end()) return found->second;
    const auto next = static_cast<uint32_t>(list.size());
    index.emplace(name, next);
    list.emplace_back(name);
    return next;
}

Trace TraceBuilder::finish(std::string origin) && {
    trace_.origin = std::move(origin);
    trace_.names = names_.count();
    if (trace_.models.empty()) trace_.models = {"model"};
    if (trace_.tenants.empty()) trace_.tenants = {"all"};
    return std::move(trace_);
}

}  // namespace brigada
