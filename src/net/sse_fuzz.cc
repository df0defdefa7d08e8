// Any bytes through the event reader: the same events however they are cut, and what the writer
// makes of those events reads back as the same events. The first byte of the input seeds the cuts.
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "net/sse.h"

namespace brigada {
namespace {

struct Outcome {
    std::vector<SseEvent> events;
    bool ok = true;
    bool operator==(const Outcome&) const = default;
};

Outcome read(std::string_view bytes, Rng* cuts, size_t limit) {
    SseReader reader(limit);
    Outcome out;
    while (!bytes.empty()) {
        const std::string_view next = bytes.substr(0, cuts ? 1 + cuts->below(6) : bytes.size());
        out.ok = reader.feed(next, out.events).ok();
        bytes.remove_prefix(next.size());
    }
    return out;
}

void check_round_trip(const std::vector<SseEvent>& events) {
    SseWriter writer;
    for (const SseEvent& event : events)
        writer.event(event.type, event.data);
    const Outcome again = read(writer.bytes(), nullptr, 1 << 20);
    CHECK(again.ok && again.events.size() == events.size());
    for (size_t i = 0; i < events.size(); ++i) {
        CHECK(again.events[i].data == events[i].data);
        CHECK(again.events[i].type == events[i].type);
    }
}

}  // namespace
}  // namespace brigada

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    Rng cuts(data[0]);
    const Outcome whole = read(bytes, nullptr, 256);
    CHECK(whole == read(bytes, &cuts, 256));
    check_round_trip(whole.events);
    return 0;
}
