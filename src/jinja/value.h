// Value: what a template computes with, and its containers. It is a tag with a pointer or a number,
// copied freely; texts and containers belong to the Heap of one rendering (or, for texts, to the
// JSON or the template they were read from), so sharing costs nothing and a cycle cannot leak.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"

namespace brigada::jinja {

class Dict;
class Object;
struct List;

enum class Kind : uint8_t { undefined, none, boolean, integer, real, text, list, dict, object };

class Value {
  public:
    /// Undefined without a name.
    Value() = default;

    /// What a lookup that finds nothing gives: prints as nothing, and most uses are errors that say
    /// `name` is undefined, or that an `owner` has no such attribute.
    static Value undefined(std::string_view name, Kind owner = Kind::undefined);
    static Value none() { return Value(Kind::none); }
    static Value boolean(bool value);
    static Value integer(int64_t value);
    static Value real(double value);
    /// Borrows: the bytes must outlive the rendering.
    static Value text(std::string_view value);
    Value(List* list) : kind_(Kind::list) { payload_.list = list; }
    Value(Dict* dict) : kind_(Kind::dict) { payload_.dict = dict; }
    Value(Object* object) : kind_(Kind::object) { payload_.object = object; }

    Kind kind() const { return kind_; }
    bool is(Kind kind) const { return kind_ == kind; }
    bool is_undefined() const { return kind_ == Kind::undefined; }
    bool is_none() const { return kind_ == Kind::none; }
    bool is_text() const { return kind_ == Kind::text; }
    /// As Python counts: True and False are numbers too.
    bool is_number() const { return is_integral() || kind_ == Kind::real; }
    bool is_integral() const { return kind_ == Kind::integer || kind_ == Kind::boolean; }

    bool as_bool() const { return checked(Kind::boolean).integer != 0; }
    /// An integer's or a bool's number.
    int64_t as_integer() const;
    /// Any number as a double.
    double as_real() const;
    std::string_view as_text() const { return {checked(Kind::text).text, size_}; }
    List& as_list() const { return *checked(Kind::list).list; }
    Dict& as_dict() const { return *checked(Kind::dict).dict; }
    Object& as_object() const { return *checked(Kind::object).object; }

    /// Undefined only: why it is, as Jinja says it: "'x' is undefined".
    std::string undefined_message() const;

  private:
    union Payload {
        int64_t integer = 0;
        double real;
        const char* text;
        List* list;
        Dict* dict;
        Object* object;
    };

    explicit Value(Kind kind) : kind_(kind) {}
    const Payload& checked(Kind kind) const {
        CHECK(kind_ == kind, "a value of kind ", int(kind_), " read as ", int(kind));
        return payload_;
    }

    Kind kind_ = Kind::undefined;
    Kind owner_ = Kind::undefined;  // of an undefined attribute
    size_t size_ = 0;               // of text, or of an undefined value's name
    Payload payload_;
};

using Allocator = std::pmr::polymorphic_allocator<>;

struct List {
    explicit List(Allocator allocator) : items(allocator) {}

    std::pmr::vector<Value> items;
    bool is_tuple = false;  // prints as (1, 2), cannot be changed
};

/// Keys in the order they came, as in Python. Keys are none, numbers and texts; True, 1 and 1.0 are
/// one key.
class Dict {
  public:
    using Entry = std::pair<Value, Value>;

    explicit Dict(Allocator allocator) : entries_(allocator), index_(allocator) {}

    std::span<const Entry> entries() const { return entries_; }
    size_t size() const { return entries_.size(); }

    /// Null when absent, or when `key` is of a kind that no key has.
    const Value* find(Value key) const;
    const Value* find(std::string_view key) const { return find(Value::text(key)); }

    /// Keeps the place of a key that is there. Precondition: is_key(key).
    void set(Value key, Value value);
    /// False when it was not there.
    bool erase(Value key);
    void clear();

    static bool is_key(Value key);

  private:
    struct KeyOrder {
        bool operator()(const Value& a, const Value& b) const;
    };
    static constexpr size_t kIndexFrom = 16;  // below, looking at every entry is faster

    size_t position(Value key) const;
    void index_all();

    std::pmr::vector<Entry> entries_;
    std::pmr::map<Value, size_t, KeyOrder> index_;  // a tree: no input makes it slow
};

/// Positional and keyword arguments of a call, filter or test; borrowed for the call.
struct Args {
    std::span<const Value> positional;
    std::span<const std::pair<std::string_view, Value>> named;
};

/// Whatever has attributes or can be called: functions, macros, methods, loop, namespace, cycler.
/// Made by Heap::make, never destroyed: derived classes hold only what needs no destructor.
class Object {
  public:
    /// As Python names the type in messages.
    virtual std::string_view type_name() const = 0;
    /// Nothing when there is no such attribute.
    virtual std::optional<Value> attribute(std::string_view) { return std::nullopt; }
    virtual bool is_callable() const { return false; }
    virtual Result<Value> call(const Args& args);
    /// Only a namespace takes one.
    virtual Result<void> set_attribute(std::string_view name, Value value);

  protected:
    ~Object() = default;
};

/// 'str', 'NoneType', 'list' ..., as in Python's messages.
std::string_view type_name(Value value);
/// Python's bool(): empty, zero, none and undefined are false.
bool truthy(Value value);
/// An Error a template makes, which a server answers with 400.
Error template_error(std::string message);
/// Error saying why `value` is undefined.
Error undefined_error(Value value);

}  // namespace brigada::jinja
