// Where the model tests find their files, and the few helpers they share.
#pragma once

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/file.h"

namespace brigada {

inline Path test_models() {
    return Path(BRIGADA_TESTDATA) / "models";
}

/// "stories260K-f32.gguf" and its like, by the folder and the end of the name.
inline Path test_gguf(const std::string& model, const std::string& kind) {
    return test_models() / model / "gguf" / (model + "-" + kind + ".gguf");
}

inline std::vector<std::byte> test_bytes(const Path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    std::vector<std::byte> out(text.size());
    std::copy(text.begin(), text.end(), reinterpret_cast<char*>(out.data()));
    return out;
}

/// A file of little-endian floats.
inline std::vector<float> test_floats(const Path& path) {
    const std::vector<std::byte> bytes = test_bytes(path);
    std::vector<float> out(bytes.size() / sizeof(float));
    std::copy_n(bytes.data(), out.size() * sizeof(float), reinterpret_cast<std::byte*>(out.data()));
    return out;
}

}  // namespace brigada
