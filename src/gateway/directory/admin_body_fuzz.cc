// Management calls from any bytes: "METHOD /path?key=value\n" and a body, up to eight of them set
// apart by a zero byte. Answered or refused, never a crash, the books right after each, and nobody
// but the master key changes anything.
#include <cstdint>
#include <string_view>

#include "gateway/directory/management.h"

namespace brigada {
namespace {

constexpr std::string_view kMaster = "sk-master-of-the-fuzzer";
constexpr std::string_view kOther = "sk-0123456789abcdef";
constexpr WallTime kNow = WallTime::seconds(1'770'000'000);

RandomBytes counting_bytes() {
    return [next = uint8_t{0}](std::span<uint8_t> out) mutable {
        for (uint8_t& byte : out)
            byte = next++;
    };
}

std::string_view take_until(std::string_view& text, char end) {
    const std::string_view head = text.substr(0, text.find(end));
    text.remove_prefix(std::min(text.size(), head.size() + 1));
    return head;
}

ManagementCall read_call(std::string_view text, CallerRef caller) {
    std::string_view line = take_until(text, '\n');
    ManagementCall call{.method = std::string(take_until(line, ' ')),
                        .path = std::string(take_until(line, '?')),
                        .caller = std::move(caller),
                        .now = kNow};
    while (!line.empty()) {
        std::string_view pair = take_until(line, '&');
        const std::string name(take_until(pair, '='));
        call.query.emplace(name, pair);
    }
    if (auto body = parse_json(text, "body"); body.ok()) call.body = *std::move(body);
    return call;
}

void run(std::string_view input) {
    Directory directory({.master_key = std::string(kMaster)}, KeyHasher("pepper"),
                        counting_bytes());
    directory.create_key({}, std::string(kOther), {.actor = "fuzzer", .now = kNow}).value();
    for (int calls = 0; calls < 8 && !input.empty(); ++calls) {
        const std::string_view text = take_until(input, '\0');
        const auto other = directory.identify(kOther, kNow);
        if (other) {
            const auto reply = draft(directory, read_call(text, *other));
            CHECK(reply.changes.empty());
        }
        const auto reply = draft(directory, read_call(text, *directory.identify(kMaster, kNow)));
        directory.check();
        directory.absorb(news_of(reply.changes, 0));
        CHECK(reply.status >= 200 && reply.status <= 503);
        CHECK(reply.status == 200 || reply.body.contains("error"));
        dump_json(reply.body);
        directory.check();
        if (other) directory.scopes(**other, "model", "user");
    }
}

}  // namespace
}  // namespace brigada

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    brigada::run({reinterpret_cast<const char*>(data), size});
    return 0;
}
