// Office: a directory for one test, with its own chance, clock and store, and the calls an
// administrator makes to it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "base/rng.h"
#include "gateway/directory/management.h"

namespace brigada {

inline constexpr std::string_view kMasterKey = "sk-master-of-this-test-0001";
inline constexpr std::string_view kPepper = "pepper of the tests";

/// The same seed makes the same keys.
inline RandomBytes seeded_random(uint64_t seed) {
    return [rng = std::make_shared<Rng>(seed)](std::span<uint8_t> out) {
        for (uint8_t& byte : out)
            byte = static_cast<uint8_t>(rng->next());
    };
}

/// Keeps what it is given until it is told to fail.
struct MemoryStore {
    bool is_full = false;
    Changes written = {};
};

struct Office {
    explicit Office(DirectoryConfig config = {})
        : directory(with_master(std::move(config)), KeyHasher(kPepper), seeded_random(1)) {}

    static DirectoryConfig with_master(DirectoryConfig config) {
        config.master_key = kMasterKey;
        return config;
    }

    /// Nobody when the key is refused.
    CallerRef caller(std::string_view key_text) {
        auto found = directory.identify(key_text, now);
        return found ? *found : nullptr;
    }

    /// The type of the denial; empty when the key is good.
    std::string denial(std::string_view key_text) {
        auto found = directory.identify(key_text, now);
        return found ? "" : found.error().type;
    }

    ManagementReply call(std::string_view method, std::string_view path, Json body = {},
                         std::string_view key_text = kMasterKey) {
        ManagementCall call{.method = std::string(method),
                            .body = std::move(body),
                            .caller = caller(key_text),
                            .now = now,
                            .spend = spend};
        const size_t question = path.find('?');
        call.path = path.substr(0, question);
        if (question != std::string_view::npos) {
            std::string_view rest = path.substr(question + 1);
            while (!rest.empty()) {
                const std::string_view pair = rest.substr(0, rest.find('&'));
                rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
                call.query.emplace(pair.substr(0, pair.find('=')), pair.substr(pair.find('=') + 1));
            }
        }
        ManagementReply reply = draft(directory, call);
        directory.check();
        if (reply.changes.empty()) return reply;
        if (store.is_full) return not_written({Code::unavailable, "the disk is full"});
        store.written.insert(store.written.end(), reply.changes.begin(), reply.changes.end());
        directory.absorb(news_of(reply.changes, 0));
        directory.check();
        return reply;
    }

    /// The body of an answer that must be 200.
    Json post(std::string_view path, Json body) {
        const ManagementReply reply = call("POST", path, std::move(body));
        EXPECT_EQ(reply.status, 200) << path << " " << dump_json(reply.body);
        return reply.body;
    }
    Json get(std::string_view path) {
        const ManagementReply reply = call("GET", path);
        EXPECT_EQ(reply.status, 200) << path << " " << dump_json(reply.body);
        return reply.body;
    }
    /// The message of an answer that must be `status`.
    std::string refused(int status, std::string_view path, Json body) {
        const ManagementReply reply = call("POST", path, std::move(body));
        EXPECT_EQ(reply.status, status) << path << " " << dump_json(reply.body);
        EXPECT_TRUE(reply.changes.empty());
        return reply.body.contains("error") ? reply.body["error"]["message"].get<std::string>()
                                            : "";
    }

    /// The text of a new key.
    std::string new_key(Json body) { return post("/key/generate", std::move(body))["key"]; }

    /// "key:<alias or id>" and so on, of the scopes a call counts against.
    std::vector<std::string> scopes(std::string_view key_text, std::string_view model = "m",
                                    std::string_view end_user = "") {
        std::vector<std::string> names;
        for (ScopeId id : directory.scopes(*caller(key_text), model, end_user)) {
            const ScopeInfo info = *directory.describe(id);
            names.push_back(
                concat(to_string(info.kind), "(", info.owner, ",", info.id, ",", info.model, ")"));
        }
        return names;
    }

    WallTime now = WallTime::seconds(1'770'000'000);  // 2026-02-02T02:40:00Z
    MemoryStore store;
    SpendLookup spend = {};
    Directory directory;
};

}  // namespace brigada
