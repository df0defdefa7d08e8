// TestFolder: an empty folder for one test or benchmark, gone afterwards; and calls to fill it
// with.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/file.h"
#include "base/rng.h"
#include "ledger/call_record.h"

namespace brigada {

class TestFolder {
  public:
    TestFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "brigada-XXXXXX").string();
        CHECK(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~TestFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    const Path& path() const { return path_; }

  private:
    Path path_;
};

inline std::string bytes_of(const Path& file) {
    return read_file(file, size_t{1} << 30).value();
}

inline void put_bytes(const Path& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

/// A call as an agent makes it. `number` makes the id; different numbers differ in every part that
/// is summed.
inline CallRecord agent_call(uint64_t number) {
    const auto n = static_cast<int64_t>(number);
    const WallTime start = WallTime::seconds(1'790'000'000) + Duration::seconds(n);
    return {.id = {static_cast<uint64_t>(start.ns), number + 1},
            .started = start,
            .first_byte = start + Duration::milliseconds(420),
            .ended = start + Duration::seconds(9),
            .organisation = "acme",
            .team = number % 2 ? "red" : "blue",
            .user = concat("user-", number % 3),
            .key = concat("key-", number % 5),
            .end_user = "",
            .session = concat("0199c0de-7a3b-7f00-8000-", number % 7),
            .model_asked = number % 4 ? "coder-large" : "coder-small",
            .model_served = "qwen3-coder-480b-fp8",
            .upstream = "gpu-1",
            .dialect = "anthropic",
            .status = static_cast<CallStatus>(number % kCallStatuses),
            .http_status = 200,
            .usage = {.input = 4'096 + n, .cached_input = 100'000, .output = 216},
            .cost = {31'337'000 + n},
            .rates = {.input = 200'000, .cached_input = 20'000, .output = 800'000},
            .attempts = {{.upstream = "gpu-0",
                          .status = CallStatus::timeout,
                          .started = start,
                          .ended = start + Duration::milliseconds(100)},
                         {.upstream = "gpu-1",
                          .http_status = 200,
                          .started = start + Duration::milliseconds(100),
                          .ended = start + Duration::seconds(9)}},
            .tags = {"ci"}};
}

/// Any call at all: every field any value, texts of any bytes.
inline CallRecord random_call(Rng& rng) {
    const auto text = [&] {
        std::string out(rng.below(20), '\0');
        for (char& c : out)
            c = static_cast<char>(rng.next());
        return out;
    };
    const auto time = [&] { return WallTime{static_cast<int64_t>(rng.next() >> rng.below(64))}; };
    const auto tokens = [&] { return rng.between(0, kCallTokens >> rng.below(40)); };
    CallRecord call{.id = {rng.next(), rng.next()},
                    .started = time(),
                    .first_byte = time(),
                    .ended = time(),
                    .organisation = text(),
                    .team = text(),
                    .user = text(),
                    .key = text(),
                    .end_user = text(),
                    .session = text(),
                    .model_asked = text(),
                    .model_served = text(),
                    .upstream = text(),
                    .dialect = text(),
                    .status = static_cast<CallStatus>(rng.below(kCallStatuses)),
                    .http_status = static_cast<int>(rng.below(600)),
                    .usage = {tokens(), tokens(), tokens(), tokens()},
                    .usage_counted_here = rng.chance(0.5),
                    .cost = {rng.between(0, kCallCost.nano)},
                    .rates = {tokens(), tokens(), tokens(), tokens()},
                    .fee = tokens()};
    for (uint64_t n = rng.below(4); n > 0; --n)
        call.attempts.push_back({text(), static_cast<CallStatus>(rng.below(kCallStatuses)),
                                 static_cast<int>(rng.below(600)), time(), time()});
    for (uint64_t n = rng.below(4); n > 0; --n)
        call.tags.push_back(text());
    return call;
}

}  // namespace brigada
