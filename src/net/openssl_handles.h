// What OpenSSL allocates, owned. Private to the TLS files.
#pragma once

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>

namespace brigada {

template <auto free_function>
struct OpenSslFree {
    template <typename T>
    void operator()(T* handle) const {
        free_function(handle);
    }
};

using SslContextHandle = std::unique_ptr<SSL_CTX, OpenSslFree<SSL_CTX_free>>;
using SslHandle = std::unique_ptr<SSL, OpenSslFree<SSL_free>>;
using SslSessionHandle = std::unique_ptr<SSL_SESSION, OpenSslFree<SSL_SESSION_free>>;
using BioHandle = std::unique_ptr<BIO, OpenSslFree<BIO_free>>;

}  // namespace brigada
