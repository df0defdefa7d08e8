#include "gateway/answer_key.h"

#include <openssl/evp.h>
#include <simdjson.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

constexpr std::string_view kNotAsked[] = {"cache", "metadata", "user", "prompt_cache_key",
                                          "model"};  // the last is hashed after its aliases
constexpr std::string_view kVersionHeaders[] = {"anthropic-beta", "anthropic-version",
                                                "openai-beta"};

/// SHA-256 over texts, each with its length before it: no two lists of texts run together.
class TextHash {
  public:
    TextHash() : context_(EVP_MD_CTX_new()) {
        CHECK(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
    }

    void add(std::string_view text) {
        const uint64_t size = text.size();
        update(&size, sizeof(size));
        update(text.data(), text.size());
    }

    AnswerKey finish() {
        AnswerKey out;
        CHECK(EVP_DigestFinal_ex(context_.get(), out.bytes.data(), nullptr) == 1);
        return out;
    }

  private:
    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };

    void update(const void* bytes, size_t size) {
        CHECK(EVP_DigestUpdate(context_.get(), bytes, size) == 1);
    }

    std::unique_ptr<EVP_MD_CTX, Free> context_;
};

using Field = std::pair<std::string, std::string_view>;  // name, value with its white space

Error not_json(simdjson::error_code error) {
    return {Code::invalid_argument,
            concat("the body is not a JSON object: ", simdjson::error_message(error))};
}

Result<std::vector<Field>> asked_fields(std::string_view body) {
    thread_local simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    simdjson::ondemand::object top;
    const simdjson::padded_string_view padded(body, body.size() + kBodyPadding);
    if (auto error = parser.iterate(padded).get(document)) return not_json(error);
    if (auto error = document.get_object().get(top)) return not_json(error);
    std::vector<Field> out;
    for (auto field : top) {
        std::string_view name, value;
        if (auto error = field.unescaped_key().get(name)) return not_json(error);
        std::string owned(name);
        if (auto error = simdjson::to_json_string(field.value()).get(value)) return not_json(error);
        if (std::ranges::find(kNotAsked, owned) == std::end(kNotAsked))
            out.emplace_back(std::move(owned), value);
    }
    // A field that stands twice keeps its order.
    std::ranges::sort(out, {}, [](const Field& f) { return std::pair(f.first, f.second.data()); });
    return out;
}

std::string_view minified(std::string_view value, std::string& buffer) {
    buffer.resize(std::max(buffer.size(), value.size() + simdjson::SIMDJSON_PADDING));
    size_t size = 0;
    if (simdjson::minify(value.data(), value.size(), buffer.data(), size)) return value;
    return std::string_view(buffer).substr(0, size);
}

}  // namespace

Result<AnswerKey> answer_key(const AnsweredCall& call) {
    TRY(const std::vector<Field> fields, asked_fields(call.body));
    TextHash hash;
    for (const std::string_view text :
         {call.tenant, call.name_space, to_string(call.dialect), call.model, call.end_user})
        hash.add(text);
    for (const std::string_view name : kVersionHeaders)
        hash.add(call.headers ? call.headers->get(name).value_or("") : "");
    std::string buffer;
    for (const auto& [name, value] : fields) {
        hash.add(name);
        hash.add(minified(value, buffer));
    }
    return hash.finish();
}

}  // namespace brigada
