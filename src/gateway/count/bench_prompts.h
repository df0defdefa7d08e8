// What the benchmarks of counting share: a counter with Qwen3's vocabulary and template, and text
// like what an agent reads.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/file.h"
#include "gateway/count/prompt_counter.h"
#include "gateway/count/prompt_model.h"

namespace brigada {

/// Null without the vocabulary (tokens/tokenizer_golden_test.cc says where it is looked for).
inline std::unique_ptr<PromptCounter> open_qwen3_counter() {
    const char* own = std::getenv("BRIGADA_TOKENIZERS");
    const char* home = std::getenv("HOME");
    const Path folder = own ? Path(own) : Path(home ? home : ".") / ".cache/brigada/tokenizers";
    const Path source = Path(BRIGADA_TESTDATA) / "chat-templates" / "templates" / "qwen3.jinja";
    auto model = open_prompt_model(
        {.path = folder / "qwen3.json", .chat_template = read_file(source, 1 << 20).value()});
    return model.ok() ? std::make_unique<PromptCounter>(*std::move(model)) : nullptr;
}

/// About so many bytes of this project's own sources, whole characters; as often as needed.
inline std::string code(size_t bytes, size_t from) {
    static const std::string text = [] {
        std::string out;
        const Path folder = Path(BRIGADA_TESTDATA).parent_path() / "src";
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
            if (entry.path().extension() == ".cc") out += read_file(entry.path(), 8 << 20).value();
        return out;
    }();
    const auto is_inside = [](char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; };
    from %= text.size() - bytes - 4;
    while (is_inside(text[from]))
        ++from;
    while (is_inside(text[from + bytes]))
        ++bytes;
    return text.substr(from, bytes);
}

}  // namespace brigada
