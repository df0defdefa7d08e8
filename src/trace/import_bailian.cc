// Bailian's JSON lines: chat_id, parent_chat_id (-1: none), timestamp (s), input_length,
// output_length, type, turn, hash_ids of 16-token blocks that name content alone. A chat follows
// its parent in one session; where a parent has several, the later ones begin sessions of their
// own.
#include <map>

#include "base/concat.h"
#include "trace/importer.h"

namespace brigada {

namespace {

constexpr uint32_t kBlockTokens = 16;

struct Chat {
    int64_t id = 0, parent = -1;
    Duration at;
    uint32_t prompt = 0, output = 0;
    std::vector<uint64_t> ids;
};

Result<Chat> read_chat(const Record& record) {
    Chat out;
    TRY(out.id, record.integer("chat_id"));
    if (record.has("parent_chat_id")) {
        TRY(out.parent, record.integer("parent_chat_id"));
    }
    TRY(out.at, record.time("timestamp", Duration::seconds(1)));
    TRY(out.prompt, record.prompt_tokens("input_length"));
    TRY(out.output, record.tokens("output_length"));
    TRY(out.ids, record.ids("hash_ids"));
    const uint32_t full = out.prompt / kBlockTokens;
    const uint32_t all = blocks_of(out.prompt, kBlockTokens);
    if (!out.ids.empty() && out.ids.size() != full && out.ids.size() != all)
        return wrong_field(record.place(), "hash_ids", concat(out.ids.size(), " blocks"),
                           concat("input_length ", out.prompt, " makes ", all, " blocks of ",
                                  kBlockTokens, " tokens"));
    return out;
}

class Reader {
  public:
    explicit Reader(TraceBuilder& trace) : trace_(trace) {}

    Result<void> read(const Record& record) {
        TRY(const Chat chat, read_chat(record));
        TRY(check_room(trace_, chat.prompt, record.place()));
        TRY(const Instant at, clock_.arrive(chat.at, record.place(), "timestamp"));
        auto ended = ends_.extract(chat.parent);
        Open open = ended.empty() ? begin(chat, at) : std::move(ended.mapped());
        const Duration gap = ended.empty() ? Duration() : at - open.last;
        open.last = at;
        add_call(open, chat, gap);
        ends_.insert_or_assign(chat.id, std::move(open));
        return {};
    }

  private:
    /// A session whose last chat has the id under which it is kept.
    struct Open {
        uint32_t session = 0;
        Instant last;
        PromptChain prompt = {};
    };

    Open begin(const Chat& chat, Instant at) {
        return {.session = trace_.add({.name = concat("chat ", chat.id), .start = at}), .last = at};
    }

    void add_call(Open& open, const Chat& chat, Duration gap) {
        TraceCall call{.gap = gap,
                       .model = trace_.model(kNoModel),
                       .prompt_tokens = chat.prompt,
                       .output_tokens = std::max(1U, chat.output)};
        PrefixNames& names = trace_.names();
        open.prompt.keep(0);
        for (const uint64_t id : chat.ids)
            open.prompt.add(names.local(open.prompt.last(), id));
        const uint32_t more = blocks_of(chat.prompt, kBlockTokens) - open.prompt.blocks();
        open.prompt.add_run(names.fresh(more), more);
        open.prompt.end(call);
        trace_.session(open.session).calls.push_back(std::move(call));
    }

    TraceBuilder& trace_;
    ArrivalClock clock_;
    std::map<int64_t, Open> ends_;
};

}  // namespace

Result<void> import_bailian(TraceText& text, Import& import) {
    TRY(import.trace.set_block_tokens(kBlockTokens));
    import.trace.names().forget_local();  // another file's ids are others
    Reader reader(import.trace);
    return each_json_line(text, import, [&](const Record& record) { return reader.read(record); });
}

}  // namespace brigada
