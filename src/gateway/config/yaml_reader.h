// YamlValue and YamlFields: read a YAML tree as typed values. Whatever is wrong is noted with file,
// line, column and dotted path, and reading goes on. A YamlFields knows which keys were asked for,
// so the reader of a section is the list of what the section understands.
//
//   YamlFields fields(section);
//   fields.integer("num_retries", {0, 100}, config.num_retries);   // absent or wrong: left as it
//   was fields.seconds("cooldown_time", config.cooldown); fields.unused({"polling_interval"},
//   "there is no poll"); fields.finish();                                               // warns of
//   any other key
#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/money.h"
#include "base/time.h"
#include "gateway/config/config_notes.h"

namespace brigada {

/// The value of an environment variable, or nothing when it is not set.
using Environ = std::function<std::optional<std::string>(std::string_view name)>;

/// What all values of one file share. It outlives them.
struct YamlScope {
    std::string file;
    const Environ& environment;
    ConfigNotes& notes;
};

struct IntegerRange {
    int64_t low = 0;
    int64_t high = std::numeric_limits<int64_t>::max();
};

class YamlFields;

class YamlValue {
  public:
    YamlValue(const YamlScope& scope, YAML::Node node, std::string path)
        : scope_(&scope), node_(std::move(node)), path_(std::move(path)) {}

    bool is_null() const { return node_.IsNull(); }
    bool is_scalar() const { return node_.IsScalar(); }
    bool is_map() const { return node_.IsMap(); }
    bool is_from_environ() const;  // written os.environ/NAME

    // Each notes an error and gives nothing when the value is of another type. A scalar written
    // os.environ/NAME is what that variable holds; its value is never repeated in a message.
    std::optional<std::string> text() const;
    std::optional<bool> boolean() const;
    std::optional<int64_t> integer(IntegerRange range) const;
    std::optional<Duration> seconds() const;    // up to a year
    std::optional<Money> dollars() const;       // not negative
    std::optional<int64_t> permille() const;    // a fraction from 0 to 1, in thousandths
    std::optional<int64_t> megabytes() const;   // in bytes
    std::optional<std::string> price() const;   // dollars, as they are written
    std::optional<std::string> period() const;  // "30s", "12h", "7d", "1mo"
    std::optional<std::vector<std::string>> texts() const;  // one text is a list of one

    std::vector<YamlValue> items() const;                            // of a list
    std::vector<std::pair<std::string, YamlValue>> entries() const;  // of a mapping, in its order

    void error(std::string_view text) const { scope_->notes.error(note(text)); }
    void warn(std::string_view text) const { scope_->notes.warn(note(text)); }
    void must_be(std::string_view expected) const;  // notes: "must be <expected>; got <this>"

    /// The place of this value, its path and `text`.
    std::string note(std::string_view text) const;

  private:
    friend class YamlFields;

    struct Entry {
        std::string key;
        YAML::Node key_node;
        YAML::Node value;
    };
    struct Entries {
        std::vector<Entry> list = {};                     // in the order of the file
        std::unordered_map<std::string, size_t> at = {};  // key -> place in the list

        const Entry* find(std::string_view key) const;
    };

    template <typename Out>
    std::optional<Out> as(std::optional<Out> (*parse)(const std::string&),
                          std::string_view expected) const;
    Entries map_entries() const;
    void add_entry(Entries& out, Entry entry) const;
    void merge(Entries& out, const YAML::Node& merged) const;
    YamlValue child(YAML::Node node, std::string path) const;
    std::string path_of(std::string_view key) const;
    std::string shown() const;

    const YamlScope* scope_;
    YAML::Node node_;
    std::string path_;
};

class YamlFields {
  public:
    /// Notes an error when `value` is no mapping; all fields are then absent.
    explicit YamlFields(const YamlValue& value);

    /// The field, or nothing when it is absent or null. Asking makes the key a known one.
    std::optional<YamlValue> find(std::string_view name);

    /// As find; a field that is absent is an error.
    std::optional<YamlValue> require(std::string_view name);

    // Each sets `out` when the field is there and right.
    template <typename Out>
    void text(std::string_view name, Out& out) {
        if (const auto value = find(name)) assign(value->text(), out);
    }
    template <typename Out>
    void boolean(std::string_view name, Out& out) {
        if (const auto value = find(name)) assign(value->boolean(), out);
    }
    template <typename Out>
    void integer(std::string_view name, IntegerRange range, Out& out) {
        if (const auto value = find(name)) assign(value->integer(range), out);
    }
    template <typename Out>
    void seconds(std::string_view name, Out& out) {
        if (const auto value = find(name)) assign(value->seconds(), out);
    }
    template <typename Out>
    void dollars(std::string_view name, Out& out) {
        if (const auto value = find(name)) assign(value->dollars(), out);
    }
    template <typename Out>
    void permille(std::string_view name, Out& out) {
        if (const auto value = find(name)) assign(value->permille(), out);
    }
    template <typename Out>
    void megabytes(std::string_view name, Out& out) {
        if (const auto value = find(name)) assign(value->megabytes(), out);
    }
    void price(std::string_view name, std::string& out) {
        if (const auto value = find(name)) assign(value->price(), out);
    }
    void period(std::string_view name, std::string& out) {
        if (const auto value = find(name)) assign(value->period(), out);
    }
    void texts(std::string_view name, std::vector<std::string>& out) {
        if (const auto value = find(name)) assign(value->texts(), out);
    }

    /// One of several words; a misspelt one is told what it may have meant.
    template <typename Word>
    void choice(std::string_view name,
                std::initializer_list<std::pair<std::string_view, Word>> words, Word& out) {
        const auto value = find(name);
        const auto written = value ? value->text() : std::nullopt;
        if (!written) return;
        const auto* const found =
            std::ranges::find(words, *written, [](const auto& word) { return word.first; });
        if (found != words.end()) {
            out = found->second;
            return;
        }
        std::vector<std::string> known;
        for (const auto& word : words)
            known.emplace_back(word.first);
        not_one_of(*value, *written, known);
    }

    /// Keys that other software gives a meaning and this one does not: each that is there is a
    /// warning with the reason.
    void unused(std::initializer_list<std::string_view> names, std::string_view why);

    /// All keys, in the order of the file.
    std::vector<std::string> keys() const;

    /// Warns of every key nobody asked for.
    void finish();

  private:
    template <typename Value, typename Out>
    static void assign(std::optional<Value> value, Out& out) {
        if (value) out = Out(*std::move(value));
    }
    static void not_one_of(const YamlValue& value, std::string_view written,
                           const std::vector<std::string>& known);
    bool is_known(std::string_view name) const { return std::ranges::count(known_, name) > 0; }

    YamlValue value_;
    YamlValue::Entries entries_;
    std::vector<std::string> known_;
};

}  // namespace brigada
