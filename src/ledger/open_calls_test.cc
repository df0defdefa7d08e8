#include "ledger/open_calls.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "ledger/test_folder.h"

namespace brigada {

namespace {

Path file_in(const TestFolder& folder) {
    return folder.path() / "open";
}

/// What a process that dies now leaves to the next: nothing is written at the end, so opening the
/// file once more, beside the first, shows what a killed process would have left.
std::vector<OpenCalls::Left> left_behind(const TestFolder& folder) {
    return OpenCalls::open(file_in(folder)).value()->left();
}

}  // namespace

TEST(OpenCalls, leaves_the_calls_that_did_not_end) {
    const TestFolder folder;
    const auto calls = OpenCalls::open(file_in(folder)).value();
    const auto first = calls->begin(agent_call(1)).value();
    const auto second = calls->begin(agent_call(2)).value();
    EXPECT_EQ(calls->count(), 2u);
    calls->end(first);
    const auto left = left_behind(folder);
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].place, second);
    EXPECT_EQ(left[0].record.id, agent_call(2).id);
    EXPECT_EQ(left[0].record.team, agent_call(2).team);
    EXPECT_EQ(left[0].record.status, CallStatus::lost);
    EXPECT_EQ(left[0].record.usage.input, agent_call(2).usage.input);
}

TEST(OpenCalls, leaves_them_as_far_as_they_had_come) {
    const TestFolder folder;
    const auto calls = OpenCalls::open(file_in(folder)).value();
    const CallRecord call = agent_call(1);
    const auto place = calls->begin(call).value();
    const WallTime later = call.started + Duration::seconds(40);
    calls->progress(place, {.at = later, .output = 321, .cost = Money{77}});
    const auto left = left_behind(folder);
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].record.ended, later);
    EXPECT_EQ(left[0].record.usage.output, 321);
    EXPECT_EQ(left[0].record.cost, Money{77});
}

TEST(OpenCalls, leaves_calls_that_ended_as_they_ended) {
    const TestFolder folder;
    const auto calls = OpenCalls::open(file_in(folder)).value();
    auto place = calls->begin(agent_call(1)).value();
    CallRecord ended = agent_call(1);
    ended.usage.output = 999;
    ended.status = CallStatus::timeout;
    ASSERT_TRUE(calls->finish(place, ended, encode(ended)));
    EXPECT_EQ(calls->count(), 1u);
    auto left = left_behind(folder);
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].place, place);
    EXPECT_EQ(left[0].record.status, CallStatus::timeout);
    EXPECT_EQ(left[0].record.usage.output, 999);
    EXPECT_EQ(left[0].record.ended, ended.ended);
    calls->end(place);
    EXPECT_TRUE(left_behind(folder).empty());
}

TEST(OpenCalls, leaves_a_call_once_that_died_between_its_two_places) {
    const TestFolder folder;
    const auto calls = OpenCalls::open(file_in(folder)).value();
    (void)calls->begin(agent_call(1)).value();
    auto second = calls->begin(agent_call(1)).value();
    ASSERT_TRUE(calls->finish(second, agent_call(1),
                              encode(agent_call(1))));  // as if the first had not been freed yet
    const auto left = left_behind(folder);
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].record.status, agent_call(1).status);
}

TEST(OpenCalls, keeps_what_was_left_until_it_is_ended) {
    const TestFolder folder;
    (void)OpenCalls::open(file_in(folder)).value()->begin(agent_call(1)).value();
    const auto next = OpenCalls::open(file_in(folder)).value();
    ASSERT_EQ(next->left().size(), 1u);
    const auto place = next->begin(agent_call(2)).value();
    EXPECT_NE(place, next->left()[0].place) << "not written over";
    EXPECT_EQ(left_behind(folder).size(), 2u);
    next->end(next->left()[0].place);
    ASSERT_EQ(left_behind(folder).size(), 1u);
    EXPECT_EQ(left_behind(folder)[0].record.id, agent_call(2).id);
}

TEST(OpenCalls, grows_with_the_calls_that_run) {
    const TestFolder folder;
    const auto calls = OpenCalls::open(file_in(folder)).value();
    std::map<OpenCalls::Place, RecordId> open;
    Rng rng(3);
    for (uint64_t i = 0; i < 5'000; ++i) {
        if (open.size() > 2'500 || (!open.empty() && rng.below(3) == 0)) {
            const auto victim =
                std::next(open.begin(), static_cast<int64_t>(rng.below(open.size())));
            calls->end(victim->first);
            open.erase(victim);
            continue;
        }
        const auto place = calls->begin(agent_call(i)).value();
        ASSERT_TRUE(open.emplace(place, agent_call(i).id).second) << "a place given twice";
    }
    ASSERT_EQ(calls->count(), open.size());
    std::map<OpenCalls::Place, RecordId> left;
    for (const OpenCalls::Left& each : left_behind(folder))
        left.emplace(each.place, each.record.id);
    EXPECT_EQ(left, open);
}

TEST(OpenCalls, takes_a_call_whatever_things_are_called) {
    const TestFolder folder;
    const auto calls = OpenCalls::open(file_in(folder)).value();
    CallRecord call = agent_call(1);
    const std::string longest(10'000, 'x');
    for (std::string* text :
         {&call.organisation, &call.team, &call.user, &call.key, &call.end_user, &call.session,
          &call.model_asked, &call.model_served, &call.upstream, &call.dialect})
        *text = longest;
    call.attempts.assign(100, {.upstream = longest, .status = CallStatus::timeout});
    call.tags.assign(100, longest);
    call.usage = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    (void)calls->begin(call).value();
    ASSERT_EQ(left_behind(folder).size(), 1u);
    EXPECT_EQ(left_behind(folder)[0].record.attempts.size(), 1u);
}

TEST(OpenCalls, keeps_all_of_a_call_that_fits) {
    const TestFolder folder;
    const auto calls = OpenCalls::open(file_in(folder)).value();
    CallRecord call = agent_call(1);
    call.session = std::string(300, 's');
    auto place = calls->begin(call).value();
    EXPECT_EQ(left_behind(folder)[0].record.attempts.size(), call.attempts.size());
    ASSERT_TRUE(calls->finish(place, call, encode(call)));
    EXPECT_EQ(left_behind(folder)[0].record, call);
}

TEST(OpenCalls, passes_over_a_call_that_was_not_written_to_its_end) {
    const TestFolder folder;
    (void)OpenCalls::open(file_in(folder)).value()->begin(agent_call(1)).value();
    std::string bytes = bytes_of(file_in(folder));
    const size_t at = bytes.find("acme");
    ASSERT_NE(at, bytes.npos);
    bytes[at] = 'A';
    put_bytes(file_in(folder), bytes);
    EXPECT_TRUE(left_behind(folder).empty());
}

TEST(OpenCalls, refuses_the_file_of_another_build) {
    const TestFolder folder;
    (void)OpenCalls::open(file_in(folder)).value();
    std::string bytes = bytes_of(file_in(folder));
    bytes.replace(bytes.find('1'), 1, "2");
    put_bytes(file_in(folder), bytes);
    const auto opened = OpenCalls::open(file_in(folder));
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, Code::unsupported);
    EXPECT_NE(opened.error().message.find(file_in(folder).string()), std::string::npos);
}

TEST(OpenCalls, begins_anew_in_a_file_whose_first_page_was_never_written) {
    const TestFolder folder;
    put_bytes(file_in(folder), "brigada open");
    const auto calls = OpenCalls::open(file_in(folder));
    ASSERT_TRUE(calls.ok()) << calls.error().message;
    (void)(*calls)->begin(agent_call(1)).value();
    EXPECT_EQ(left_behind(folder).size(), 1u);
}

}  // namespace brigada
