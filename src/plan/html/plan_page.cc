#include "plan/html/plan_page.h"

#include "base/concat.h"
#include "plan/html/page_parts.h"

namespace brigada {

namespace {

/// JSON inside a script element: nothing in it may end the element.
std::string embedded(const Json& value) {
    std::string out;
    for (const char letter : dump_json(value))
        letter == '<' ? out += "\\u003c" : out += letter;
    return out;
}

}  // namespace

std::string plan_page(const PlanReport& report) {
    return concat("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
                  "<title>Plan</title>\n<style>\n", kPlanPageStyle, "</style>\n</head>\n<body>\n",
                  kPlanPageBody, "<script type=\"application/json\" id=\"plan\">",
                  embedded(to_json(report)), "</script>\n<script>\n", kPlanPageScript,
                  "</script>\n</body>\n</html>\n");
}

}  // namespace brigada
