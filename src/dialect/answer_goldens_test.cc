// Answers of each dialect in each other, as files: testdata/dialect/answers, whose ORIGIN says who
// wrote which and who judged them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/concat.h"
#include "base/file.h"
#include "dialect/answer_reader.h"
#include "dialect/answer_writer.h"
#include "dialect/event_splitter.h"

namespace brigada {
namespace {

namespace fs = std::filesystem;

constexpr Dialect kSpoken[] = {Dialect::chat, Dialect::messages, Dialect::responses};

fs::path goldens() {
    return fs::path(BRIGADA_TESTDATA) / "dialect" / "answers";
}

std::string bytes_of(const fs::path& path) {
    return read_file(path, 1 << 20).value();
}

std::vector<fs::path> cases() {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(goldens()))
        if (entry.is_directory()) out.push_back(entry.path());
    return out;
}

AnswerFrame frame_for(Dialect to, const Conversation& asked) {
    const std::string_view prefix = to == Dialect::chat       ? "chatcmpl-"
                                    : to == Dialect::messages ? "msg_"
                                                              : "resp_";
    return {.id = concat(prefix, "Frame1"),
            .model = "asked-model",
            .created_unix = 1'770'000'001,
            .asked = &asked};
}

std::vector<std::string> data_of(EventSplitter& splitter, std::string_view bytes) {
    std::vector<std::string> out;
    std::string joined;
    for (const std::string_view event : splitter.feed(bytes).value())
        out.emplace_back(event_data(event, joined));
    return out;
}

std::string translated(const std::string& stream, Dialect from, Dialect to) {
    Conversation asked;
    asked.include_usage = true;
    const auto reader = make_answer_reader(from);
    const auto writer = make_answer_writer(to, frame_for(to, asked));
    std::string out;
    EventSplitter splitter;
    for (const std::string& data : data_of(splitter, stream))
        reader->event(data, [&](const AnswerEvent& event) { writer->write(event, out); }).value();
    return out;
}

std::string translated_whole(const std::string& json, Dialect from, Dialect to) {
    const Conversation asked;
    const auto reader = make_answer_reader(from);
    const auto writer = make_answer_writer(to, frame_for(to, asked));
    reader->whole(json, [&](const AnswerEvent& event) { writer->collect(event); }).value();
    EXPECT_TRUE(reader->ended());
    return writer->whole() + "\n";
}

/// BRIGADA_WRITE_GOLDENS=1 writes the file anew: judge it before it is committed.
void expect_golden(const fs::path& path, const std::string& found) {
    if (std::getenv("BRIGADA_WRITE_GOLDENS")) std::ofstream(path) << found;
    EXPECT_EQ(found, bytes_of(path)) << path;
}

using Translate = std::string (*)(const std::string&, Dialect, Dialect);

void expect_goldens(std::string_view suffix, Translate translate) {
    int files = 0;
    for (const fs::path& folder : cases())
        for (const Dialect from : kSpoken) {
            const fs::path input = folder / concat(to_string(from), suffix);
            if (!fs::exists(input)) continue;
            const std::string bytes = bytes_of(input);
            for (const Dialect to : kSpoken) {
                expect_golden(folder / concat(to_string(from), ".to.", to_string(to), suffix),
                              translate(bytes, from, to));
                ++files;
            }
        }
    EXPECT_GE(files, 3 * 3 * 7);
}

TEST(AnswerGoldens, streams) {
    expect_goldens(".sse", translated);
}

TEST(AnswerGoldens, whole_answers) {
    expect_goldens(".json", translated_whole);
}

TEST(AnswerGoldens, say_the_same_however_their_bytes_are_cut) {
    for (const fs::path& folder : cases())
        for (const Dialect dialect : kSpoken) {
            const std::string bytes = bytes_of(folder / concat(to_string(dialect), ".sse"));
            EventSplitter whole;
            const std::vector<std::string> events = data_of(whole, bytes);
            for (size_t at = 1; at < bytes.size(); ++at) {
                EventSplitter splitter;
                std::vector<std::string> found = data_of(splitter, bytes.substr(0, at));
                for (std::string& data : data_of(splitter, std::string_view(bytes).substr(at)))
                    found.push_back(std::move(data));
                ASSERT_EQ(found, events) << folder << " cut at byte " << at;
            }
        }
}

TEST(AnswerGoldens, end_only_where_their_dialect_says_so) {
    for (const fs::path& folder : cases())
        for (const Dialect dialect : kSpoken) {
            const auto reader = make_answer_reader(dialect);
            bool told_end = false;
            EventSplitter splitter;
            const std::string bytes = bytes_of(folder / concat(to_string(dialect), ".sse"));
            for (const std::string& data : data_of(splitter, bytes)) {
                EXPECT_FALSE(reader->ended()) << folder;
                reader
                    ->event(data,
                            [&](const AnswerEvent& event) {
                                told_end = std::holds_alternative<AnswerEnded>(event) ||
                                           std::holds_alternative<AnswerFailed>(event);
                            })
                    .value();
            }
            EXPECT_EQ(reader->ended(), folder.filename() != "cut") << folder;
            EXPECT_EQ(told_end, reader->ended()) << folder;
        }
}

}  // namespace
}  // namespace brigada
