// Result<T>: a value or an Error, and TRY, which takes the value or returns the error.
//
//   Result<Model> open_model(const Path& path) {
//       TRY(File file, File::open(path));        // declares file, or returns its error
//       TRY(check_size(file));                   // a Result<void>: goes on, or returns its error
//       return Model(std::move(file));
//   }
//
// In a coroutine write CO_TRY, which co_returns.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace brigada {

template <typename T>
class [[nodiscard]] Result {
  public:
    using Value = T;

    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    const T& value() const& {
        CHECK(ok(), error_message());
        return *std::get_if<0>(&state_);
    }
    T& value() & {
        CHECK(ok(), error_message());
        return *std::get_if<0>(&state_);
    }
    T&& value() && {
        CHECK(ok(), error_message());
        return std::move(*std::get_if<0>(&state_));
    }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    const Error& error() const& {
        CHECK(!ok());
        return *std::get_if<1>(&state_);
    }
    Error&& error() && {
        CHECK(!ok());
        return std::move(*std::get_if<1>(&state_));
    }

    T value_or(T other) && { return ok() ? std::move(*std::get_if<0>(&state_)) : std::move(other); }

  private:
    std::string error_message() const { return ok() ? std::string() : error().message; }

    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    using Value = void;

    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    bool ok() const { return !error_.has_value(); }
    explicit operator bool() const { return ok(); }
    void value() const { CHECK(ok(), error_ ? error_->message : std::string()); }

    const Error& error() const& {
        CHECK(!ok());
        return *error_;
    }
    Error&& error() && {
        CHECK(!ok());
        return *std::move(error_);
    }

  private:
    std::optional<Error> error_;
};

}  // namespace brigada

#define BRIGADA_JOIN2(a, b) a##b
#define BRIGADA_JOIN(a, b) BRIGADA_JOIN2(a, b)
#define BRIGADA_PICK(_1, _2, name, ...) name

#define BRIGADA_TRY_VOID(ret, expression)                                \
    do {                                                                 \
        auto brigada_result = (expression);                              \
        if (!brigada_result.ok()) ret std::move(brigada_result).error(); \
    } while (false)
#define BRIGADA_TRY_VALUE(ret, temporary, declaration, expression) \
    auto temporary = (expression);                                 \
    if (!temporary.ok()) ret std::move(temporary).error();         \
    declaration = std::move(temporary).value()

#define BRIGADA_TRY1(expression) BRIGADA_TRY_VOID(return, expression)
#define BRIGADA_TRY2(declaration, expression) \
    BRIGADA_TRY_VALUE(return, BRIGADA_JOIN(brigada_result_, __COUNTER__), declaration, expression)
#define BRIGADA_CO_TRY1(expression) BRIGADA_TRY_VOID(co_return, expression)
#define BRIGADA_CO_TRY2(declaration, expression)                                          \
    BRIGADA_TRY_VALUE(co_return, BRIGADA_JOIN(brigada_result_, __COUNTER__), declaration, \
                      expression)

#define TRY(...) BRIGADA_PICK(__VA_ARGS__, BRIGADA_TRY2, BRIGADA_TRY1)(__VA_ARGS__)
#define CO_TRY(...) BRIGADA_PICK(__VA_ARGS__, BRIGADA_CO_TRY2, BRIGADA_CO_TRY1)(__VA_ARGS__)
