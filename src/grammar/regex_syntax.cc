#include "grammar/regex_syntax.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grammar/regex_tree.h"

namespace brigada {

namespace {

/// Alternatives that anchors inside of groups may be multiplied out to.
constexpr size_t kMaxBranches = 256;

/// One alternative of a whole expression, with the anchors at its ends taken off.
struct Branch {
    bool at_start = false;
    bool at_end = false;
    std::vector<Expr> parts{};
};

class RegexBuilder {
  public:
    RegexBuilder(GrammarBuilder& builder, RegexMatch match) : builder_(builder), match_(match) {}

    Result<Expr> build(const RegexNode& root) {
        TRY(std::vector<Branch> all, branches(root));
        std::vector<Expr> out;
        for (Branch& branch : all)
            out.push_back(whole(std::move(branch)));
        return builder_.either(std::move(out));
    }

  private:
    Expr whole(Branch branch) {
        if (match_ == RegexMatch::within) {
            const Expr any = builder_.repeat(builder_.one_of(CodePointSet::all()), 0, std::nullopt);
            if (!branch.at_start) branch.parts.insert(branch.parts.begin(), any);
            if (!branch.at_end) branch.parts.push_back(any);
        }
        return builder_.sequence(std::move(branch.parts));
    }

    Result<std::vector<Branch>> branches(const RegexNode& node) {
        std::vector<Branch> out;
        if (!node.has_anchor) {
            out.push_back({.parts = {plain(node)}});
            return out;
        }
        switch (node.kind) {
            case RegexNode::Kind::line_start:
                out.push_back({.at_start = true});
                return out;
            case RegexNode::Kind::line_end:
                out.push_back({.at_end = true});
                return out;
            case RegexNode::Kind::either:
                for (const RegexNode& part : node.parts) {
                    TRY(std::vector<Branch> more, branches(part));
                    for (Branch& branch : more)
                        out.push_back(std::move(branch));
                }
                return out;
            case RegexNode::Kind::sequence:
                return sequence_branches(node);
            default:
                return Error{Code::unsupported,
                             "an anchor (^ or $) inside of a repetition; anchors are understood at "
                             "the ends of the expression and of its alternatives"};
        }
    }

    /// Every alternative of the first part with every one of the next, and so on.
    Result<std::vector<Branch>> sequence_branches(const RegexNode& node) {
        std::vector<Branch> out(1);
        for (const RegexNode& part : node.parts) {
            TRY(const std::vector<Branch> next, branches(part));
            std::vector<Branch> longer;
            for (const Branch& before : out) {
                for (const Branch& after : next) {
                    if ((before.at_end && !after.parts.empty()) ||
                        (after.at_start && !before.parts.empty()))
                        return Error{Code::unsupported,
                                     "an anchor (^ or $) in the middle; anchors are understood at "
                                     "the ends of the expression and of its alternatives"};
                    Branch both = before;
                    both.at_start = both.at_start || after.at_start;
                    both.at_end = both.at_end || after.at_end;
                    both.parts.insert(both.parts.end(), after.parts.begin(), after.parts.end());
                    longer.push_back(std::move(both));
                }
            }
            out = std::move(longer);
            if (out.size() > kMaxBranches)
                return Error{Code::too_large, "too many alternatives with anchors"};
        }
        return out;
    }

    Expr plain(const RegexNode& node) {
        std::vector<Expr> parts;
        for (const RegexNode& part : node.parts)
            parts.push_back(plain(part));
        switch (node.kind) {
            case RegexNode::Kind::set:
                return builder_.one_of(node.set);
            case RegexNode::Kind::either:
                return builder_.either(std::move(parts));
            case RegexNode::Kind::repeat:
                return builder_.repeat(parts.front(), node.least, node.most);
            default:
                return builder_.sequence(std::move(parts));
        }
    }

    GrammarBuilder& builder_;
    RegexMatch match_;
};

}  // namespace

Result<Expr> read_regex(GrammarBuilder& builder, std::string_view pattern, RegexMatch match) {
    TRY(const RegexNode root, parse_regex(pattern));
    return RegexBuilder(builder, match).build(root);
}

}  // namespace brigada
