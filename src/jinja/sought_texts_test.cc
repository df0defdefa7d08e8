#include "jinja/sought_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brigada::jinja {
namespace {

using testing::ElementsAre;

TEST(SoughtTexts, are_those_looked_for_inside_of_others) {
    const SoughtTexts found = *sought_texts(
        "{% if '</think>' in content %}{{ content.split('</think>')[-1].strip('\\n') }}{% endif %}"
        "{% if m.content.startswith('<tool>') or 'never' not in m.content %}<|end|>{% endif %}"
        "{% set mark = '/no_think' %}{% if mark in m.content %}{% endif %}"
        "{% if m.role == 'user' %}{{ 'hello ' + m.content.replace('old', \"new\") }}{% endif %}");
    EXPECT_THAT(found.inside,
                ElementsAre("/no_think", "</think>", "<tool>", "never", "new", "old"));
    EXPECT_THAT(found.whole, ElementsAre("\n", "/no_think", "</think>", "<tool>", "hello ", "never",
                                         "new", "old", "user"));
}

TEST(SoughtTexts, of_what_is_no_template_are_an_error) {
    EXPECT_FALSE(sought_texts("{{ 'never closed }}").ok());
}

}  // namespace
}  // namespace brigada::jinja
