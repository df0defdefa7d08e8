#include "gateway/seen/kept_alerts.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

#include "base/concat.h"
#include "base/json.h"

namespace brigada {

namespace {

std::string line_of(const WaitingAlert& alert) {
    return dump_json({{"id", alert.id},
                      {"event", alert.event},
                      {"message", alert.message},
                      {"body", alert.body}}) +
           "\n";
}

std::string text_in(const Json& line, const char* name) {
    const auto found = line.find(name);
    return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// What one line says, to the alerts that wait; one that was cut short says nothing.
void take_line(const std::string& text, std::vector<WaitingAlert>& waiting) {
    const auto line = parse_json(text, "line");
    if (!line.ok() || !line->is_object()) return;
    if (const std::string id = text_in(*line, "taken"); !id.empty())
        std::erase_if(waiting, [&](const WaitingAlert& alert) { return alert.id == id; });
    else if (line->contains("body"))
        waiting.push_back({text_in(*line, "id"), text_in(*line, "event"), text_in(*line, "message"),
                           text_in(*line, "body")});
}

std::vector<WaitingAlert> read_waiting(const Path& file) {
    std::vector<WaitingAlert> out;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        take_line(line, out);
    const size_t most = KeptAlerts::kMostLeft;
    if (out.size() > most) out.erase(out.begin(), out.end() - static_cast<ptrdiff_t>(most));
    return out;
}

Error cannot_write(const Path& file) {
    return {Code::io, concat(file.string(), ": can't write the alerts that wait")};
}

}  // namespace

Result<std::unique_ptr<KeptAlerts>> KeptAlerts::open(Path file, Trouble trouble) {
    std::vector<WaitingAlert> left = read_waiting(file);
    std::unique_ptr<KeptAlerts> out(
        new KeptAlerts(std::move(file), std::move(trouble), std::move(left)));
    TRY(out->write_left());
    return out;
}

/// Without those that were taken. The old file stays until the new one is whole.
Result<void> KeptAlerts::write_left() {
    const Path fresh = Path(file_).concat(".new");
    {
        std::ofstream out(fresh, std::ios::trunc);
        for (const WaitingAlert& alert : left_)
            out << line_of(alert);
        if (!out.flush()) return cannot_write(fresh);
    }
    std::error_code failed;
    std::filesystem::rename(fresh, file_, failed);
    if (failed) return cannot_write(file_);
    return {};
}

void KeptAlerts::add(WaitingAlert alert) {
    append(line_of(alert));
}

void KeptAlerts::taken(std::string id) {
    append(dump_json({{"taken", std::move(id)}}) + "\n");
}

void KeptAlerts::append(std::string line) {
    (void)worker_.give([this, line = std::move(line)] {
        std::ofstream out(file_, std::ios::app);
        if (!(out << line).flush()) trouble_(cannot_write(file_).message);
    });
}

}  // namespace brigada
