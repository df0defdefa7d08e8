#include "net/tls_context.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <array>
#include <boost/asio/ip/address.hpp>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/concat.h"
#include "net/tls_words.h"

namespace brigada {

namespace {

// Where distributions keep all CAs in one file. A file is read once, at the start; OpenSSL's
// default folder of many would be read during handshakes.
constexpr std::array kSystemBundles = {
    "/etc/ssl/certs/ca-certificates.crt",  // Debian, Alpine
    "/etc/pki/tls/certs/ca-bundle.crt",    // Fedora, Red Hat
    "/etc/ssl/ca-bundle.pem",              // SUSE
    "/etc/ssl/cert.pem",                   // others
};

// What a socket has ready is decrypted in one go: four records.
constexpr size_t kReadBufferBytes = 64 * 1024;

// Of TLS 1.3, as browsers ask for them: AES-128 first, which takes a fifth less time than AES-256.
constexpr const char* kCiphers13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

Error unfit(std::string_view what, const std::string& file) {
    return {Code::invalid_argument, concat(what, " ", file, ": ", take_openssl_reason())};
}

Result<void> load_bundle(SSL_CTX* context, const std::string& file) {
    if (SSL_CTX_load_verify_file(context, file.c_str()) == 1) return {};
    return unfit("can't read certificates of authorities from", file);
}

/// SSL_CERT_FILE and SSL_CERT_DIR are known to OpenSSL's default paths.
Result<void> load_system_trust(SSL_CTX* context) {
    if (const char* file = std::getenv("SSL_CERT_FILE"); file && *file)
        return load_bundle(context, file);
    std::error_code ignored;
    if (!std::getenv("SSL_CERT_DIR"))
        for (const char* file : kSystemBundles)
            if (std::filesystem::exists(file, ignored)) return load_bundle(context, file);
    if (SSL_CTX_set_default_verify_paths(context) == 1) return {};
    return Error{Code::invalid_argument, concat("this machine has no certificates of authorities: ",
                                                take_openssl_reason())};
}

Result<void> load_identity(SSL_CTX* context, const TlsSettings& settings) {
    if (settings.certificate_file.empty()) return {};
    const std::string& key =
        settings.key_file.empty() ? settings.certificate_file : settings.key_file;
    if (SSL_CTX_use_certificate_chain_file(context, settings.certificate_file.c_str()) != 1)
        return unfit("can't read a certificate from", settings.certificate_file);
    if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1)
        return unfit("can't read the certificate's private key from", key);
    return {};
}

// A file with a passphrase would make OpenSSL ask the terminal.
int no_passphrase(char*, int, int, void*) {
    return 0;
}

void set_manners(SSL_CTX* context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_ciphersuites(context, kCiphers13);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);  // an idle connection holds none
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, kReadBufferBytes);
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
}

bool is_address(const std::string& host) {
    boost::system::error_code not_one;
    boost::asio::ip::make_address(host, not_one);
    return !not_one;
}

}  // namespace

TlsContext::TlsContext(SslContextHandle handle) : handle_(std::move(handle)) {
    SSL_CTX_set_app_data(handle_.get(), this);
    SSL_CTX_set_session_cache_mode(handle_.get(),
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(handle_.get(), keep_session);
}

Result<std::shared_ptr<TlsContext>> TlsContext::open(const TlsSettings& settings) {
    ERR_clear_error();
    SslContextHandle handle(SSL_CTX_new(TLS_client_method()));
    CHECK(handle, "OpenSSL gives no context");
    set_manners(handle.get());
    if (settings.verifies) SSL_CTX_set_verify(handle.get(), SSL_VERIFY_PEER, note_fault);
    if (!settings.ca_file.empty())
        TRY(load_bundle(handle.get(), settings.ca_file));
    else if (settings.verifies)
        TRY(load_system_trust(handle.get()));
    TRY(load_identity(handle.get(), settings));
    return std::shared_ptr<TlsContext>(new TlsContext(std::move(handle)));
}

SslHandle TlsContext::new_session(TlsPeer& peer) {
    SslHandle ssl(SSL_new(handle_.get()));
    CHECK(ssl, "OpenSSL gives no session");
    SSL_set_connect_state(ssl.get());
    SSL_set_app_data(ssl.get(), &peer);
    if (is_address(peer.host)) {  // which server names must not be (RFC 6066 §3)
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), peer.host.c_str());
    } else {
        SSL_set_tlsext_host_name(ssl.get(), peer.host.c_str());
        SSL_set_hostflags(ssl.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        SSL_set1_host(ssl.get(), peer.host.c_str());
    }
    if (const auto found = sessions_.find(peer.name); found != sessions_.end())
        SSL_set_session(ssl.get(), found->second.get());
    return ssl;
}

/// OpenSSL has a session (TLS 1.3: a ticket) that may be resumed; 1 says that we keep it.
int TlsContext::keep_session(SSL* ssl, SSL_SESSION* session) {
    auto* context = static_cast<TlsContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
    const auto* peer = static_cast<const TlsPeer*>(SSL_get_app_data(ssl));
    context->sessions_[peer->name] = SslSessionHandle(session);
    return 1;
}

/// After each certificate of the chain. The first fault ends it, and later nobody knows the
/// certificate any more, so the words are found now.
int TlsContext::note_fault(int verified, X509_STORE_CTX* chain) {
    if (verified) return 1;
    const auto* ssl =
        static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
    auto* peer = static_cast<TlsPeer*>(SSL_get_app_data(ssl));
    peer->fault = certificate_fault(chain, peer->host, peer->name);
    return 0;
}

}  // namespace brigada
