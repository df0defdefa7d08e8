#include "hub/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>

#include "base/hex.h"

namespace brigada {

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
    EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
    CHECK(context_ != nullptr);
    CHECK(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
    CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() const {
    const std::unique_ptr<evp_md_ctx_st, Free> copy(EVP_MD_CTX_new());
    CHECK(copy != nullptr && EVP_MD_CTX_copy_ex(copy.get(), context_.get()) == 1);
    std::array<uint8_t, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    CHECK(EVP_DigestFinal_ex(copy.get(), digest.data(), &size) == 1);
    return hex_of(std::span(digest).first(size));
}

Result<std::string> sha256_of_file(const Path& path) {
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
    if (!file)
        return Error{errno == ENOENT ? Code::not_found : Code::io,
                     concat(path.string(), ": cannot open: ", std::strerror(errno))};
    Sha256 sum;
    std::vector<char> buffer(1 << 20);
    while (const size_t n = std::fread(buffer.data(), 1, buffer.size(), file.get()))
        sum.update({buffer.data(), n});
    if (std::ferror(file.get()) != 0)
        return Error{Code::io, concat(path.string(), ": cannot read: ", std::strerror(errno))};
    return sum.hex();
}

}  // namespace brigada
