// Finding: one thing the doctor looked at, how it is, and what would mend it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brigada {

enum class Verdict { ok, warning, fault };

std::string_view to_string(Verdict verdict);

struct Finding {
    std::string check = {};  // "upstreams"
    Verdict verdict = Verdict::ok;
    std::string says = {};
    std::string mend = {};  // empty where all is well
};

/// What one check found, in order.
class Findings {
  public:
    explicit Findings(std::string check) : check_(std::move(check)) {}

    void ok(std::string says) { add(Verdict::ok, std::move(says), ""); }
    void warn(std::string says, std::string mend) {
        add(Verdict::warning, std::move(says), std::move(mend));
    }
    void fault(std::string says, std::string mend) {
        add(Verdict::fault, std::move(says), std::move(mend));
    }

    std::vector<Finding> take() { return std::move(findings_); }

  private:
    void add(Verdict verdict, std::string says, std::string mend) {
        findings_.push_back({check_, verdict, std::move(says), std::move(mend)});
    }

    std::string check_;
    std::vector<Finding> findings_;
};

}  // namespace brigada
