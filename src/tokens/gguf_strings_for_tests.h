// Enough of GGUF to read a vocabulary's pieces, types and merges in a test: `tokens` stands below
// `model`, whose reader does this for real. It trusts its file.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/check.h"
#include "tokens/vocabulary.h"

namespace brigada {

class GgufStringsForTests {
  public:
    /// The vocabulary in the metadata of a GGUF v3 file.
    static VocabularySpec read(std::string_view file) {
        GgufStringsForTests reader(file);
        CHECK(file.starts_with("GGUF"));
        reader.at_ = 16;  // behind magic, version and number of tensors
        for (auto pairs = reader.number<uint64_t>(); pairs > 0; --pairs) {
            const std::string key(reader.text());
            reader.value(key, reader.number<uint32_t>());
        }
        return std::move(reader.spec_);
    }

  private:
    explicit GgufStringsForTests(std::string_view file) : file_(file) {}

    template <typename T>
    T number() {
        T out;
        CHECK(file_.size() - at_ >= sizeof out);
        std::memcpy(&out, file_.data() + at_, sizeof out);
        at_ += sizeof out;
        return out;
    }

    std::string_view text() {
        const auto size = number<uint64_t>();
        const std::string_view out = file_.substr(at_, size);
        at_ += size;
        return out;
    }

    void value(const std::string& key, uint32_t type) {
        constexpr uint32_t kString = 8, kArray = 9;
        constexpr size_t kBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
        if (type == kString) {
            const std::string_view word = text();
            if (key == "tokenizer.ggml.pre") spec_.pre = word;
        } else if (type == kArray) {
            const auto element = number<uint32_t>();
            for (auto count = number<uint64_t>(); count > 0; --count) {
                if (key == "tokenizer.ggml.tokens")
                    spec_.pieces.emplace_back(text());
                else if (key == "tokenizer.ggml.merges")
                    spec_.merges.push_back(parse_merge(text()).value());
                else if (key == "tokenizer.ggml.token_type")
                    spec_.types.push_back(static_cast<PieceType>(number<int32_t>()));
                else
                    value("", element);
            }
        } else {
            at_ += kBytes[type];
        }
    }

    std::string_view file_;
    size_t at_ = 0;
    VocabularySpec spec_;
};

}  // namespace brigada
