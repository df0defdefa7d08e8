// Where the tests of cost find configs and tables, and a reader of small CSV files.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "cost/geometry.h"

namespace brigada {

inline std::string test_text(const std::filesystem::path& below_testdata) {
    std::ifstream in(std::filesystem::path(BRIGADA_TESTDATA) / below_testdata, std::ios::binary);
    EXPECT_TRUE(in) << below_testdata;
    return {std::istreambuf_iterator<char>(in), {}};
}

inline Json test_json(const std::filesystem::path& below_testdata) {
    Result<Json> json = parse_config(test_text(below_testdata), below_testdata.string());
    EXPECT_TRUE(json.ok());
    return json.ok() ? *std::move(json) : Json();
}

/// "Qwen__Qwen3-32B".
inline Json test_config(const std::string& name) {
    return test_json("models/configs/" + name + ".json");
}

inline ModelGeometry test_geometry(const std::string& name) {
    Result<ModelGeometry> geometry = geometry_from_json(test_config(name), name);
    EXPECT_TRUE(geometry.ok()) << geometry.error().message;
    return geometry.ok() ? *std::move(geometry) : ModelGeometry();
}

inline std::vector<std::string> csv_cells(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            cells.emplace_back();
        else
            cells.back() += c;
    }
    return cells;
}

/// Rows by column name.
inline std::vector<std::map<std::string, std::string>> test_csv(
    const std::filesystem::path& below_testdata) {
    std::istringstream in(test_text(below_testdata));
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> names = csv_cells(line);
    std::vector<std::map<std::string, std::string>> rows;
    while (std::getline(in, line)) {
        const std::vector<std::string> cells = csv_cells(line);
        std::map<std::string, std::string> row;
        for (size_t i = 0; i < names.size() && i < cells.size(); ++i)
            row[names[i]] = cells[i];
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace brigada
