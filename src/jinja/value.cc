#include "jinja/value.h"

#include <cmath>

#include "base/concat.h"

namespace brigada::jinja {

Value Value::undefined(std::string_view name, Kind owner) {
    Value out;
    out.owner_ = owner;
    out.size_ = name.size();
    out.payload_.text = name.data();
    return out;
}

Value Value::boolean(bool value) {
    Value out(Kind::boolean);
    out.payload_.integer = value;
    return out;
}

Value Value::integer(int64_t value) {
    Value out(Kind::integer);
    out.payload_.integer = value;
    return out;
}

Value Value::real(double value) {
    Value out(Kind::real);
    out.payload_.real = value;
    return out;
}

Value Value::text(std::string_view value) {
    Value out(Kind::text);
    out.size_ = value.size();
    out.payload_.text = value.data();
    return out;
}

int64_t Value::as_integer() const {
    CHECK(is_integral(), "a value of kind ", int(kind_), " read as an integer");
    return payload_.integer;
}

double Value::as_real() const {
    return kind_ == Kind::real ? payload_.real : static_cast<double>(as_integer());
}

std::string Value::undefined_message() const {
    CHECK(is_undefined());
    if (size_ == 0) return "the value is undefined";
    const std::string_view name(payload_.text, size_);
    switch (owner_) {
        case Kind::undefined:
            return concat("'", name, "' is undefined");
        case Kind::none:
            return concat("'None' has no attribute '", name, "'");
        case Kind::boolean:
            return concat("'bool object' has no attribute '", name, "'");
        case Kind::integer:
            return concat("'int object' has no attribute '", name, "'");
        case Kind::real:
            return concat("'float object' has no attribute '", name, "'");
        case Kind::text:
            return concat("'str object' has no attribute '", name, "'");
        case Kind::list:
            return concat("'list object' has no attribute '", name, "'");
        case Kind::dict:
            return concat("'dict object' has no attribute '", name, "'");
        case Kind::object:
            return concat("the object has no attribute '", name, "'");
    }
    return {};
}

// --- dict -------------------------------------------------------------------------------------

namespace {

/// Kinds of keys in the order in which the index keeps them.
int key_class(Value key) {
    if (key.is_number()) return 1;
    return key.is_text() ? 2 : 0;
}

bool same_key(Value a, Value b) {
    if (a.is_text() && b.is_text()) return a.as_text() == b.as_text();
    if (a.is_integral() && b.is_integral()) return a.as_integer() == b.as_integer();
    if (a.is_number() && b.is_number()) return a.as_real() == b.as_real();
    return a.is_none() && b.is_none();
}

}  // namespace

bool Dict::is_key(Value key) {
    return key.is_none() || key.is_text() || key.is_integral() ||
           (key.is(Kind::real) && !std::isnan(key.as_real()));
}

bool Dict::KeyOrder::operator()(const Value& a, const Value& b) const {
    if (key_class(a) != key_class(b)) return key_class(a) < key_class(b);
    if (a.is_text()) return a.as_text() < b.as_text();
    if (a.is_integral() && b.is_integral()) return a.as_integer() < b.as_integer();
    return a.is_number() && a.as_real() < b.as_real();
}

size_t Dict::position(Value key) const {
    if (!is_key(key)) return entries_.size();
    if (!index_.empty()) {
        const auto found = index_.find(key);
        return found == index_.end() ? entries_.size() : found->second;
    }
    for (size_t i = 0; i < entries_.size(); ++i)
        if (same_key(entries_[i].first, key)) return i;
    return entries_.size();
}

const Value* Dict::find(Value key) const {
    const size_t i = position(key);
    return i < entries_.size() ? &entries_[i].second : nullptr;
}

void Dict::set(Value key, Value value) {
    CHECK(is_key(key));
    const size_t i = position(key);
    if (i < entries_.size()) {
        entries_[i].second = value;
        return;
    }
    entries_.emplace_back(key, value);
    if (!index_.empty())
        index_.emplace(key, i);
    else if (entries_.size() > kIndexFrom)
        index_all();
}

bool Dict::erase(Value key) {
    const size_t i = position(key);
    if (i == entries_.size()) return false;
    entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(i));
    if (!index_.empty()) index_all();
    return true;
}

void Dict::clear() {
    entries_.clear();
    index_.clear();
}

void Dict::index_all() {
    index_.clear();
    for (size_t i = 0; i < entries_.size(); ++i)
        index_.emplace(entries_[i].first, i);
}

// --- all values -------------------------------------------------------------------------------

Result<Value> Object::call(const Args&) {
    return template_error(concat("'", type_name(), "' object is not callable"));
}

Result<void> Object::set_attribute(std::string_view, Value) {
    return template_error("cannot assign attribute on non-namespace object");
}

std::string_view type_name(Value value) {
    switch (value.kind()) {
        case Kind::undefined:
            return "Undefined";
        case Kind::none:
            return "NoneType";
        case Kind::boolean:
            return "bool";
        case Kind::integer:
            return "int";
        case Kind::real:
            return "float";
        case Kind::text:
            return "str";
        case Kind::list:
            return value.as_list().is_tuple ? "tuple" : "list";
        case Kind::dict:
            return "dict";
        case Kind::object:
            return value.as_object().type_name();
    }
    return {};
}

bool truthy(Value value) {
    switch (value.kind()) {
        case Kind::undefined:
        case Kind::none:
            return false;
        case Kind::boolean:
        case Kind::integer:
            return value.as_integer() != 0;
        case Kind::real:
            return value.as_real() != 0;
        case Kind::text:
            return !value.as_text().empty();
        case Kind::list:
            return !value.as_list().items.empty();
        case Kind::dict:
            return value.as_dict().size() != 0;
        case Kind::object:
            return true;
    }
    return false;
}

Error template_error(std::string message) {
    return {Code::invalid_argument, std::move(message)};
}

Error undefined_error(Value value) {
    return template_error(value.undefined_message());
}

}  // namespace brigada::jinja
