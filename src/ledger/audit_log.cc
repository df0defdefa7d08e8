#include "ledger/audit_log.h"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "base/hex.h"
#include "ledger/csv.h"

namespace brigada {

namespace {

constexpr std::string_view kHashKey = ",\"hash\":\"";
constexpr size_t kHashDigits = 64;
constexpr std::string_view kLineEnd = "\"}";

std::string sha256_hex(std::string_view bytes) {
    std::array<uint8_t, 32> digest{};
    CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) ==
          1);
    return hex_of(digest);
}

Error broken(std::string_view what) {
    return {Code::corrupt, std::string(what)};
}

/// What of the line its hash covers. Error::corrupt when the line does not end in a hash.
Result<std::string_view> hashed_part(std::string_view line) {
    const size_t tail = kHashKey.size() + kHashDigits + kLineEnd.size();
    if (line.size() <= tail || !line.ends_with(kLineEnd) ||
        line.substr(line.size() - tail, kHashKey.size()) != kHashKey)
        return broken("it does not end in a hash");
    return line.substr(0, line.size() - tail);
}

std::string hash_in(std::string_view line) {
    return std::string(line.substr(line.size() - kLineEnd.size() - kHashDigits, kHashDigits));
}

/// Whether the line's own words continue the chain. Type errors are answers, not exceptions.
Result<void> expect_follows(const Json& line, const AuditHead& head) {
    if (!line.is_object()) return broken("it is not a JSON object");
    const auto seq = line.find("seq");
    if (seq == line.end() || !seq->is_number_unsigned() || seq->get<uint64_t>() != head.seq + 1)
        return broken(concat("its seq is not ", head.seq + 1));
    const auto prev = line.find("prev");
    if (prev == line.end() || !prev->is_string() ||
        prev->get_ref<const std::string&>() != head.hash)
        return broken("its prev is not the hash of the line before");
    return {};
}

Result<uint64_t> size_of(const Path& file) {
    std::error_code failed;
    const auto size = std::filesystem::file_size(file, failed);
    if (failed == std::errc::no_such_file_or_directory) return uint64_t{0};
    if (failed) return log_error(file, "cannot read its size", failed.value());
    return uint64_t{size};
}

Result<AuditHead> follow_file(const Path& file, uint64_t& torn_bytes) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return log_error(file, "cannot open", errno);
    Result<AuditHead> head = follow_audit_log(in, torn_bytes);
    if (!head.ok()) return std::move(head).error().in(file.string());
    if (in.bad()) return log_error(file, "cannot read", errno);
    return head;
}

}  // namespace

std::string audit_line(const AuditEvent& event, AuditHead& head) {
    const Json json = {{"seq", head.seq + 1},    {"at", utc_text(event.at)},
                       {"actor", event.actor},   {"action", event.action},
                       {"object", event.object}, {"before", event.before},
                       {"after", event.after},   {"prev", head.hash}};
    std::string line = dump_json(json);
    line.pop_back();  // the brace: the hash comes before it
    head = {head.seq + 1, sha256_hex(line)};
    return concat(line, kHashKey, head.hash, kLineEnd, "\n");
}

Result<void> follow_audit_line(std::string_view line, AuditHead& head) {
    TRY(const std::string_view covered, hashed_part(line));
    std::string hash = sha256_hex(covered);
    if (hash != hash_in(line)) return broken("its hash is not that of its words: it was changed");
    TRY(const Json json, parse_json(line, "the line"));
    TRY(expect_follows(json, head));
    head = {head.seq + 1, std::move(hash)};
    return {};
}

Result<AuditHead> follow_audit_log(std::istream& in, uint64_t& torn_bytes) {
    AuditHead head;
    std::string line;
    for (uint64_t number = 1; std::getline(in, line); ++number) {
        if (in.eof()) {  // the end came before the line's
            torn_bytes += line.size();
            break;
        }
        if (Result<void> follows = follow_audit_line(line, head); !follows.ok())
            return Error{Code::corrupt, concat("the chain breaks at line ", number, ": ",
                                               follows.error().message)};
    }
    return head;
}

Result<AuditHead> verify_audit_log(const Path& file) {
    uint64_t torn_bytes = 0;
    return follow_file(file, torn_bytes);
}

Result<AuditLog> AuditLog::open(const Path& file, Disk& disk) {
    TRY(ProcessLock lock, ProcessLock::take(file.string() + ".lock"));
    TRY(const uint64_t size, size_of(file));
    uint64_t torn_bytes = 0;
    AuditHead head;
    if (size > 0) {
        TRY(head, follow_file(file, torn_bytes));
    }
    TRY(LogFile log, LogFile::open(file, size - torn_bytes, disk));
    TRY(sync_log_folder(file.has_parent_path() ? file.parent_path() : "."));
    return AuditLog(std::move(lock), std::move(log), std::move(head), torn_bytes);
}

Result<void> AuditLog::append(std::span<const AuditEvent> events) {
    std::lock_guard lock(*mutex_);
    AuditHead head = head_;
    std::string lines;
    for (const AuditEvent& event : events)
        lines += audit_line(event, head);
    TRY(file_.append(lines));
    head_ = std::move(head);
    return {};
}

AuditHead AuditLog::head() const {
    std::lock_guard lock(*mutex_);
    return head_;
}

}  // namespace brigada
