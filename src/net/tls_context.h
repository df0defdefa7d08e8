// TlsContext: what TLS connections with the same settings share: whom they trust, our certificate,
// and the sessions that shorten the next handshake with a server.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/openssl_handles.h"
#include "net/tls_settings.h"

namespace brigada {

/// One connection as its context's callbacks know it.
struct TlsPeer {
    std::string host;        // whom we want to talk to
    std::string name;        // "host:port": a session is resumed with the same only
    std::string fault = {};  // why its certificate was refused
};

class TlsContext {
  public:
    /// Reads the files, which takes milliseconds: not on a loop that serves. invalid_argument names
    /// the file that is missing or unfit. Without a CA file: SSL_CERT_FILE and SSL_CERT_DIR of the
    /// environment, else what the system trusts.
    static Result<std::shared_ptr<TlsContext>> open(const TlsSettings& settings);
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

    /// A client's session that will ask for `peer.host` and accept its certificate only (unless
    /// verification is off), resuming what it can. Context and peer outlive the session. Loop
    /// thread only, as all that follows.
    SslHandle new_session(TlsPeer& peer);

    /// Servers we could resume with.
    size_t resumable() const { return sessions_.size(); }

  private:
    explicit TlsContext(SslContextHandle handle);

    static int keep_session(SSL* ssl, SSL_SESSION* session);
    static int note_fault(int verified, X509_STORE_CTX* chain);

    SslContextHandle handle_;
    std::map<std::string, SslSessionHandle> sessions_;  // the last ticket of each peer
};

}  // namespace brigada
