#include "hub/download.h"

#include <algorithm>
#include <charconv>
#include <thread>

#include "hub/http_get.h"
#include "hub/part_file.h"

namespace brigada {

namespace {

constexpr int kMostIdleTries = 4;

std::string_view header(const std::map<std::string, std::string, std::less<>>& headers,
                        std::string_view name) {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

/// An ETag without its weakness mark and quotes.
std::string_view bare_etag(std::string_view etag) {
    if (etag.starts_with("W/")) etag.remove_prefix(2);
    if (etag.size() >= 2 && etag.starts_with('"') && etag.ends_with('"'))
        etag = etag.substr(1, etag.size() - 2);
    return etag;
}

/// Hubs name large files by their SHA-256, in x-linked-etag where a redirect leads to the storage.
std::string_view version_of(const HttpHead& head) {
    const std::string_view linked = header(head.first, "x-linked-etag");
    return bare_etag(linked.empty() ? header(head.first, "etag") : linked);
}

bool is_sha256(std::string_view text) {
    return text.size() == 64 && std::ranges::all_of(text, [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

std::optional<uint64_t> number(std::string_view text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

struct ContentRange {
    uint64_t from;
    uint64_t total;
};

/// "bytes 100-199/1000"
std::optional<ContentRange> content_range(std::string_view text) {
    if (!text.starts_with("bytes ")) return std::nullopt;
    text.remove_prefix(6);
    const size_t dash = text.find('-');
    const size_t slash = text.find('/');
    if (dash == std::string_view::npos || slash == std::string_view::npos) return std::nullopt;
    const auto from = number(text.substr(0, dash));
    const auto total = number(text.substr(slash + 1));
    if (!from || !total) return std::nullopt;
    return ContentRange{*from, *total};
}

/// One file's transfer: what is known of the file, and the part that is here.
class Transfer {
  public:
    Transfer(const Download& wanted, PartFile part, PullProgress& progress)
        : wanted_(wanted),
          part_(std::move(part)),
          progress_(progress),
          total_(wanted.bytes),
          sha256_(wanted.sha256) {}

    Result<Downloaded> run() {
        if (total_ && part_.bytes() > *total_) TRY(part_.restart(""));
        if (part_.bytes() > 0)
            progress_.detail(concat("continuing at ", human_bytes(part_.bytes())));
        while (!is_whole())
            TRY(try_until_progress());
        TRY(std::string sum, part_.finish(sha256_));
        return Downloaded{part_.bytes(), std::move(sum), !sha256_.empty()};
    }

  private:
    bool is_whole() const { return arrived_ || (total_ && part_.bytes() == *total_); }

    /// Tries until the whole is here or a try brought something; gives up after enough idle ones.
    Result<void> try_until_progress() {
        for (int idle = 0;; ++idle) {
            const uint64_t before = part_.bytes();
            std::optional<HttpFailure> failure = try_once();
            if (!failure) return {};
            if (!failure->again || idle + 1 == kMostIdleTries) return std::move(failure->error);
            progress_.detail(concat(failure->error.message, "; trying again"));
            if (part_.bytes() > before) return {};
            std::this_thread::sleep_for(wanted_.retry_pause.chrono() * (1 << idle));
        }
    }

    std::optional<HttpFailure> try_once() {
        stale_ = false;
        const HttpGet get{wanted_.url, wanted_.token, part_.bytes()};
        std::optional<HttpFailure> failure = http_get(
            get, [this](const HttpHead& head) { return take_head(head); },
            [this](std::string_view bytes) { return take_body(bytes); });
        if (!failure) arrived_ = true;
        if (failure && get.from > 0 && (stale_ || failure->error.code == Code::corrupt)) {
            progress_.detail(concat(wanted_.url, ": not what was begun; starting over"));
            if (Result<void> done = part_.restart(""); !done)
                return HttpFailure{done.error(), false};
            failure->again = true;
        }
        return failure;
    }

    Result<void> take_head(const HttpHead& head) {
        const std::string_view version = version_of(head);
        const auto range = content_range(header(head.last, "content-range"));
        if (head.status == 206 && !continues(version, range)) {
            stale_ = true;
            return Error{Code::corrupt, concat(wanted_.url, ": the file has changed on the hub")};
        }
        if (head.status == 200) TRY(part_.restart(version));
        if (sha256_.empty() && is_sha256(version)) sha256_ = version;
        return take_size(head, range);
    }

    /// Whether a partial answer goes on where the part ends, with the same version of the file.
    bool continues(std::string_view version, const std::optional<ContentRange>& range) const {
        const bool same = version.empty() ? !sha256_.empty() : version == part_.version();
        return same && range && range->from == part_.bytes();
    }

    Result<void> take_size(const HttpHead& head, const std::optional<ContentRange>& range) {
        std::optional<uint64_t> said = number(header(head.last, "content-length"));
        if (head.status == 206) said = range->total;
        if (said && total_ && *said != *total_)
            return Error{Code::corrupt, concat(wanted_.url, ": the hub's file has ", *said,
                                               " bytes, expected ", *total_)};
        if (said) total_ = said;
        if (!total_) return {};
        return require_space(wanted_.target.parent_path(), *total_ - part_.bytes());
    }

    Result<void> take_body(std::string_view bytes) {
        if (total_ && bytes.size() > *total_ - part_.bytes())
            return Error{Code::corrupt, concat(wanted_.url, ": more than the ", *total_,
                                               " bytes that were announced")};
        TRY(part_.append(bytes));
        progress_.bytes(wanted_.target.filename().string(), part_.bytes(), total_.value_or(0));
        return {};
    }

    const Download& wanted_;
    PartFile part_;
    PullProgress& progress_;
    std::optional<uint64_t> total_;
    std::string sha256_;
    bool arrived_ = false;
    bool stale_ = false;  // the part on disk is of another version than the hub has now
};

}  // namespace

Result<Downloaded> download(const Download& wanted, PullProgress& progress) {
    TRY(PartFile part, PartFile::open(wanted.target));
    return Transfer(wanted, std::move(part), progress).run();
}

}  // namespace brigada
