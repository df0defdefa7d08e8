#include "gateway/body_memo.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace brigada {

namespace {

/// A body is found by the keys of its whole strides. Below two of them there is little to save.
constexpr size_t kStride = 32 * 1024;

/// Marks of what an upstream shall cache move through the last messages from call to call.
constexpr size_t kMarkedMessages = 6;

/// Fewer are read sooner than known.
constexpr size_t kLeastTools = 1'024;

/// [n] covers the first n + 1 strides.
std::vector<ContentKey> stride_keys(std::string_view body, ContentKey salt) {
    std::vector<ContentKey> out;
    out.reserve(body.size() / kStride);
    for (; body.size() >= kStride; body.remove_prefix(kStride))
        out.push_back(salt = content_key(salt, body.substr(0, kStride)));
    return out;
}

/// Of the body's first `end` bytes, which are a stride at least.
ContentKey content_before(size_t end, std::string_view body,
                          const std::vector<ContentKey>& strides) {
    const size_t whole = end / kStride;
    return content_key(strides[whole - 1], body.substr(whole * kStride, end % kStride));
}

/// Where the messages end that the next call will repeat byte for byte; 0 where there are none.
size_t steady_end(const BodyList& list, std::string_view body) {
    const auto& messages = list.messages;
    for (size_t n = messages.size() - std::min(messages.size(), kMarkedMessages);
         n < messages.size(); ++n)
        if (find_cache_mark(messages[n].in(body)) != body.npos)
            return n == 0 ? 0 : messages[n - 1].end();
    return messages.back().end();
}

/// How many messages end up to there.
ptrdiff_t messages_before(size_t end, const BodyList& list) {
    return std::ranges::upper_bound(list.messages, end, {}, &BodySpan::end) - list.messages.begin();
}

void add_before_list(const CallBody& body, Dialect dialect, PromptChain& chain) {
    for (size_t field = 0; field < body.list.field; ++field)
        chain.add(body.prompt[field], dialect);
}

/// What of the list stands from `at` on in the body, and what is rendered behind the list.
void add_from(size_t at, const CallBody& body, Dialect dialect, PromptChain& chain) {
    chain.add(body.prompt[body.list.field].substr(at - body.list.at), dialect);
    for (size_t field = body.list.field + 1; field < body.prompt.size(); ++field)
        chain.add(body.prompt[field], dialect);
}

ContentKey message_key(std::string_view message, uint64_t random) {
    return content_key(ContentKey{random, 0}, message);
}

}  // namespace

size_t BodyMemo::bytes_of(const KnownBody& known) {
    constexpr size_t kNodeBytes = 128;  // a list's, a table's, and its bucket
    return kNodeBytes + sizeof(known) + known.list.messages.capacity() * sizeof(BodySpan) +
           known.message_keys.capacity() * sizeof(ContentKey) + known.chain.bytes();
}

Result<ReadBody> BodyMemo::read(std::string_view body, Dialect dialect, std::string_view tenant) {
    Reading reading{.body = body, .dialect = dialect, .tenant = tenant};
    if (body.size() >= 2 * kStride)
        reading.strides =
            stride_keys(body, content_key({random_, static_cast<uint64_t>(dialect)}, tenant));
    ReadBody out;
    const KnownBody* known = find(reading);
    if (known) {
        auto read = read_on(*known, reading);
        if (read.ok())
            out.body = *std::move(read);
        else
            known = nullptr;
    }
    if (known) {
        ++hits_;
    } else {
        TRY(out.body, read_call_body(body, dialect));
    }
    name_messages(reading, known, out);
    name_pieces(reading, known, out);
    return out;
}

Result<CallBody> BodyMemo::read_on(const KnownBody& known, Reading& reading) {
    const BodySpan tools = known.tools_in(reading.body);
    TRY(CallBody out, read_call_body_but({known.list, tools}, reading.body, reading.dialect));
    if (tools.size > 0) reading.tools = {tools, known.tools.key};
    return out;
}

/// The same tools: before the list they stand where they stood, behind it as far from the end.
BodySpan BodyMemo::KnownBody::tools_in(std::string_view body) const {
    BodySpan place = tools.place;
    if (place.size == 0 || place.at < list.at) return place;
    place.at = body.size() - std::min(body.size(), size - place.at);
    const bool fits = place.at >= end() && place.end() <= body.size();
    return fits && content_key(ContentKey(), place.in(body)) == tools.key ? place : BodySpan();
}

BodyMemo::Tools BodyMemo::tools_of(const CallBody& body, std::string_view text) {
    const std::string_view raw = body.prompt[kToolsField];
    if (raw.size() < kLeastTools || raw.front() != '[') return {};
    const BodySpan place{.at = static_cast<size_t>(raw.data() - text.data()),
                         .size = raw.find_last_of(']') + 1};
    return {place, content_key(ContentKey(), place.in(text))};
}

/// What is known of the longest beginning.
const BodyMemo::KnownBody* BodyMemo::find(const Reading& reading) {
    for (size_t n = reading.strides.size(); n-- > 0;) {
        const KnownBody* known = known_.find(reading.strides[n]);
        if (known && known->end() <= reading.body.size() &&
            known->content == content_before(known->end(), reading.body, reading.strides))
            return known;
    }
    return nullptr;
}

void BodyMemo::name_messages(const Reading& reading, const KnownBody* known, ReadBody& read) const {
    const auto& messages = read.body.list.messages;
    read.message_keys.reserve(messages.size());
    if (known) read.message_keys = known->message_keys;
    for (size_t n = read.message_keys.size(); n < messages.size(); ++n)
        read.message_keys.push_back(message_key(messages[n].in(reading.body), random_));
}

/// The same keys as prompt_keys() has.
void BodyMemo::name_pieces(Reading& reading, const KnownBody* known, ReadBody& read) {
    const auto [text, dialect, tenant] = std::tuple(reading.body, reading.dialect, reading.tenant);
    const BodyList& list = read.body.list;
    if (reading.strides.empty() || list.messages.empty()) {
        read.prompt = prompt_keys(read.body, dialect, tenant);
        return;
    }
    if (reading.tools.place.size == 0) reading.tools = tools_of(read.body, text);
    const ContentKey around = around_of(read.body, reading.tools);
    if (known && known->around != around) known = nullptr;
    PromptChain chain = known ? known->chain : PromptChain(tenant);
    chain.reserve(read.body.prompt_bytes());
    if (!known) add_before_list(read.body, dialect, chain);
    size_t at = known ? known->end() : list.at;
    if (const size_t end = steady_end(list, text); end > std::max(at, kStride)) {
        chain.add(text.substr(at, end - at), dialect);
        keep(reading, read, end, around, chain);
        at = end;
    }
    add_from(at, read.body, dialect, chain);
    read.prompt = chain.take();
}

/// Of what is rendered before the list.
ContentKey BodyMemo::around_of(const CallBody& body, const Tools& tools) {
    ContentKey out = tools.key;
    for (size_t field = 0; field < body.list.field; ++field) {
        const bool is_named = field == kToolsField && tools.place.size > 0;
        out = content_key(out, body.prompt[field].substr(is_named ? tools.place.size : 0));
    }
    return out;
}

/// The next call is likely to repeat what stands before `end`.
void BodyMemo::keep(const Reading& reading, const ReadBody& read, size_t end,
                    const ContentKey& around, const PromptChain& chain) {
    const BodyList& list = read.body.list;
    const ptrdiff_t messages = messages_before(end, list);
    KnownBody known{.size = reading.body.size(),
                    .list = {.field = list.field, .at = list.at},
                    .message_keys = {},
                    .tools = reading.tools,
                    .content = content_before(end, reading.body, reading.strides),
                    .around = around,
                    .chain = chain};
    known.list.messages.assign(list.messages.begin(), list.messages.begin() + messages);
    known.message_keys.assign(read.message_keys.begin(), read.message_keys.begin() + messages);
    known_.put(reading.strides[end / kStride - 1], std::move(known));
}

}  // namespace brigada
