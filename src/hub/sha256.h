// Sha256: a running SHA-256, fed as bytes arrive.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

struct evp_md_ctx_st;

namespace brigada {

class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    void update(std::string_view bytes);

    /// The sum of everything so far, 64 lower-case hex digits. More may follow.
    std::string hex() const;

  private:
    struct Free {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// The sum of a whole file. Error::not_found or ::io.
Result<std::string> sha256_of_file(const Path& path);

}  // namespace brigada
