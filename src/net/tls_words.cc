#include "net/tls_words.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/concat.h"
#include "net/openssl_handles.h"

namespace brigada {

namespace {

constexpr size_t kNamesShown = 5;
constexpr size_t kNameBytesShown = 100;

using NamesHandle = std::unique_ptr<GENERAL_NAMES, OpenSslFree<GENERAL_NAMES_free>>;

// A certificate's text is a stranger's: only what is visible goes into a message, and not much.
std::string shown(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, kNameBytesShown))
        out += c > ' ' && c < 0x7f ? c : c == ' ' ? ' ' : '?';
    return text.size() > kNameBytesShown ? out + "..." : out;
}

std::string text_of(BIO* memory) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(memory, &data);
    return shown({data, static_cast<size_t>(std::max(size, 0L))});
}

std::string text_of(const X509_NAME* name) {
    const BioHandle memory(BIO_new(BIO_s_mem()));
    X509_NAME_print_ex(memory.get(), name, 0, XN_FLAG_RFC2253);
    return text_of(memory.get());
}

std::string text_of(const ASN1_TIME* time) {
    const BioHandle memory(BIO_new(BIO_s_mem()));
    ASN1_TIME_print_ex(memory.get(), time, ASN1_DTFLGS_ISO8601);
    return text_of(memory.get());
}

std::string text_of(const GENERAL_NAME& name) {
    if (name.type == GEN_DNS)
        return shown({reinterpret_cast<const char*>(ASN1_STRING_get0_data(name.d.dNSName)),
                      static_cast<size_t>(ASN1_STRING_length(name.d.dNSName))});
    if (name.type != GEN_IPADD) return "";
    const int size = ASN1_STRING_length(name.d.iPAddress);
    const unsigned char* bytes = ASN1_STRING_get0_data(name.d.iPAddress);
    if (size == 4) return concat(bytes[0], ".", bytes[1], ".", bytes[2], ".", bytes[3]);
    return "an IPv6 address";
}

// "a.example, *.b.example and 3 more".
std::string names_of(X509* certificate) {
    const NamesHandle names(static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    std::vector<std::string> all;
    for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i)
        if (std::string text = text_of(*sk_GENERAL_NAME_value(names.get(), i)); !text.empty())
            all.push_back(std::move(text));
    if (all.empty()) return text_of(X509_get_subject_name(certificate));
    std::string out;
    for (size_t i = 0; i < std::min(all.size(), kNamesShown); ++i)
        out += (i == 0 ? "" : ", ") + all[i];
    return all.size() > kNamesShown ? concat(out, " and ", all.size() - kNamesShown, " more") : out;
}

// "the certificate of a.example:443", or the one above it that is at fault.
std::string culprit(X509_STORE_CTX* chain, const std::string& peer) {
    const std::string leaf = concat("the certificate of ", peer);
    if (X509_STORE_CTX_get_error_depth(chain) == 0) return leaf;
    X509* above = X509_STORE_CTX_get_current_cert(chain);
    if (!above) return leaf;
    return concat(leaf, " cannot be trusted: its issuer's, ", text_of(X509_get_subject_name(above)),
                  ",");
}

std::string untrusted(X509_STORE_CTX* chain, const std::string& peer) {
    X509* last = X509_STORE_CTX_get_current_cert(chain);
    if (!last) last = X509_STORE_CTX_get0_cert(chain);
    return concat("the certificate of ", peer, " was issued by ",
                  text_of(X509_get_issuer_name(last)),
                  ", which is not trusted; a CA file with that authority in it would do");
}

std::string told_in_alert(const std::string& peer, const std::string& otherwise) {
    const int reason = ERR_GET_REASON(ERR_peek_error());
    const std::string text = take_openssl_reason();
    if (reason == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED ||
        reason == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE || reason == SSL_R_TLSV1_ALERT_UNKNOWN_CA)
        return concat(peer, " wants a client certificate that it trusts (", text, ")");
    return otherwise + text;
}

}  // namespace

std::string take_openssl_reason() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    if (code == 0) return "unknown reason";
    if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
    const char* reason = ERR_reason_error_string(code);
    return reason ? reason : concat("OpenSSL error ", code);
}

std::string certificate_fault(X509_STORE_CTX* chain, const std::string& host,
                              const std::string& peer) {
    X509* leaf = X509_STORE_CTX_get0_cert(chain);
    X509* current = X509_STORE_CTX_get_current_cert(chain);
    if (!current) current = leaf;
    const int error = X509_STORE_CTX_get_error(chain);
    switch (error) {
        case X509_V_OK:
            return "";
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return concat(culprit(chain, peer), " expired on ",
                          text_of(X509_get0_notAfter(current)), "; it has to be renewed there");
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return concat(culprit(chain, peer), " is valid from ",
                          text_of(X509_get0_notBefore(current)), " on; is a clock wrong?");
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return concat("the certificate of ", peer, " is for ", names_of(leaf), ", not for ",
                          host, "; call it by a name that it has");
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            return concat("the certificate of ", peer,
                          " is signed by itself and not trusted; a CA file with that certificate "
                          "in it would do");
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
        case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            return untrusted(chain, peer);
        default:
            return concat(culprit(chain, peer),
                          " was refused: ", X509_verify_cert_error_string(error));
    }
}

std::string handshake_fault(const std::string& peer) {
    const unsigned long code = ERR_peek_error();
    switch (ERR_GET_REASON(code)) {
        case SSL_R_WRONG_VERSION_NUMBER:
        case SSL_R_PACKET_LENGTH_TOO_LONG:
        case SSL_R_UNEXPECTED_MESSAGE:
        case SSL_R_UNEXPECTED_RECORD:
            ERR_clear_error();
            return concat(peer, " answers something that is not TLS; is it plain http?");
        case SSL_R_UNSUPPORTED_PROTOCOL:
        case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
            ERR_clear_error();
            return concat(peer, " speaks no TLS from version 1.2 on");
        default:
            return told_in_alert(peer, concat("the TLS handshake with ", peer, " failed: "));
    }
}

// A server of TLS 1.3 judges our certificate when for us the handshake is over.
std::string connection_fault(const std::string& peer) {
    return told_in_alert(peer, concat(peer, " broke the TLS connection: "));
}

}  // namespace brigada
