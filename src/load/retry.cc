#include "load/retry.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace brigada {

namespace {

constexpr double kFirstSeconds = 0.5, kMostSeconds = 8, kMostAskedSeconds = 60;

std::optional<double> number_in(const HttpHeaders& headers, std::string_view name) {
    const auto text = headers.get(name);
    if (!text) return {};
    double value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size()) return {};
    return value;
}

std::optional<double> asked_seconds(const HttpHeaders& headers) {
    std::optional<double> asked = number_in(headers, "retry-after");
    if (const auto ms = number_in(headers, "retry-after-ms")) asked = *ms / 1'000;
    if (asked && *asked > 0 && *asked <= kMostAskedSeconds) return asked;
    return {};
}

}  // namespace

std::optional<Duration> retry_after(int status, const HttpHeaders& headers, uint32_t attempt,
                                    Rng& rng) {
    const std::string_view said = headers.get("x-should-retry").value_or("");
    const bool usually =
        status == 0 || status == 408 || status == 409 || status == 429 || status >= 500;
    if (said == "false" || (said != "true" && !usually)) return {};
    double seconds = std::min(kFirstSeconds * std::exp2(attempt - 1), kMostSeconds);
    seconds *= 1 - 0.25 * rng.uniform();
    if (const auto asked = asked_seconds(headers)) seconds = *asked;
    return Duration::from_seconds(seconds);
}

}  // namespace brigada
