// Mooncake's JSON lines: timestamp (ms), input_length, output_length, hash_ids of 512-token blocks,
// a partial last one included. AIPerf adds session_id and delay (ms): calls of one session.
#include <map>

#include "base/concat.h"
#include "trace/importer.h"

namespace brigada {

namespace {

constexpr uint32_t kBlockTokens = 512;

struct Request {
    Duration at, delay;
    uint32_t prompt = 0, output = 0;
    std::string session;
    std::vector<uint64_t> ids;
};

Result<void> check_ids(const Request& request, const Place& place) {
    const uint32_t blocks = blocks_of(request.prompt, kBlockTokens);
    if (request.ids.empty() || request.ids.size() == blocks) return {};
    return wrong_field(place, "hash_ids", concat(request.ids.size(), " blocks"),
                       concat("input_length ", request.prompt, " makes ", blocks, " blocks of ",
                              kBlockTokens, " tokens"));
}

Result<Request> read_request(const Record& record) {
    const Duration ms = Duration::milliseconds(1);
    Request out;
    TRY(const auto at, record.time_if("timestamp", ms));
    TRY(const auto delay, record.time_if("delay", ms));
    TRY(out.prompt, record.prompt_tokens("input_length"));
    TRY(out.output, record.tokens("output_length"));
    TRY(out.session, record.text_or("session_id", ""));
    TRY(out.ids, record.ids("hash_ids"));
    TRY(check_ids(out, record.place()));
    if (!at && !delay) return record.wrong("timestamp", "a time or a delay in ms is needed");
    out.at = at.value_or(Duration());
    out.delay = delay.value_or(Duration());
    return out;
}

class Reader {
  public:
    explicit Reader(Import& import) : trace_(import.trace) {}

    Result<void> read(const Record& record) {
        TRY(const Request request, read_request(record));
        TRY(check_room(trace_, request.prompt, record.place()));
        const auto open = sessions_.find(request.session);
        if (request.session.empty() || open == sessions_.end()) return begin(request, record);
        go_on(open->second, request);
        return {};
    }

  private:
    struct Open {
        uint32_t session = 0;
        Duration last;  // arrival
        PromptChain prompt = {};
    };

    Result<void> begin(const Request& request, const Record& record) {
        TRY(const Instant start, clock_.arrive(request.at, record.place(), "timestamp"));
        Open open{.session = trace_.add({.name = name_of(request), .start = start}),
                  .last = request.at};
        add_call(open, request, Duration());
        if (!request.session.empty()) sessions_.emplace(request.session, std::move(open));
        return {};
    }

    void go_on(Open& open, const Request& request) {
        const Duration since = std::max(Duration(), request.at - open.last);
        add_call(open, request, request.delay > Duration() ? request.delay : since);
        open.last = std::max(open.last, request.at);
    }

    void add_call(Open& open, const Request& request, Duration gap) {
        TraceCall call{.gap = gap,
                       .model = trace_.model(kNoModel),
                       .prompt_tokens = request.prompt,
                       .output_tokens = std::max(1U, request.output)};
        open.prompt.keep(0);
        for (const uint64_t id : request.ids)
            open.prompt.add(trace_.names().local(open.prompt.last(), id));
        if (request.ids.empty()) {
            const uint32_t blocks = blocks_of(request.prompt, kBlockTokens);
            open.prompt.add_run(trace_.names().fresh(blocks), blocks);
        }
        open.prompt.end(call);
        trace_.session(open.session).calls.push_back(std::move(call));
    }

    /// The calls of one conversation have one name. What is a conversation's own begins with the
    /// second block: the first is a system prompt that many share.
    static std::string name_of(const Request& request) {
        if (!request.session.empty()) return request.session;
        if (request.ids.empty()) return "alone";
        return concat("block ", request.ids[std::min<size_t>(1, request.ids.size() - 1)]);
    }

    TraceBuilder& trace_;
    ArrivalClock clock_;
    std::map<std::string, Open, std::less<>> sessions_;
};

}  // namespace

Result<void> import_mooncake(TraceText& text, Import& import) {
    TRY(import.trace.set_block_tokens(kBlockTokens));
    import.trace.names().forget_local();  // another file's ids are others
    Reader reader(import);
    return each_json_line(text, import, [&](const Record& record) { return reader.read(record); });
}

}  // namespace brigada
