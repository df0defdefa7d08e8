// Why TLS failed, in words: what OpenSSL knows as numbers, and what a certificate says of itself.
// Private to the TLS files.
#pragma once

#include <openssl/ssl.h>

#include <string>

namespace brigada {

/// The reason of OpenSSL's first queued error of this thread, and empties the queue. "No such file
/// or directory", "no start line".
std::string take_openssl_reason();

/// Why the certificate chain was refused: "the certificate of a.example:443 is for b.example, not
/// for a.example; ...". Empty when it was not refused.
std::string certificate_fault(X509_STORE_CTX* chain, const std::string& host,
                              const std::string& peer);

/// Why a handshake failed for another reason, and why a connection broke after it: from the queue
/// of errors, which both empty.
std::string handshake_fault(const std::string& peer);
std::string connection_fault(const std::string& peer);

}  // namespace brigada
