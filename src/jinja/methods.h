// Methods: what Python's str, list and dict can do, as far as templates use it.
#pragma once

#include <span>
#include <string_view>

#include "jinja/heap.h"

namespace brigada::jinja {

using Method = Result<Value> (*)(Heap& heap, Value self, const Args& args);

/// Null when values like `self` have no such method.
Method find_method(Value self, std::string_view name);

/// A method taken from its value: value.name without a call.
class BoundMethod final : public Object {
  public:
    BoundMethod(Heap& heap, Value self, Method method)
        : heap_(heap), self_(self), method_(method) {}

    std::string_view type_name() const override { return "builtin_function_or_method"; }
    bool is_callable() const override { return true; }
    Result<Value> call(const Args& args) override { return method_(heap_, self_, args); }

  private:
    Heap& heap_;
    Value self_;
    Method method_;
};

struct NamedMethod {
    std::string_view name;
    Method method;
};
std::span<const NamedMethod> text_methods();
std::span<const NamedMethod> list_methods();
std::span<const NamedMethod> dict_methods();

}  // namespace brigada::jinja
