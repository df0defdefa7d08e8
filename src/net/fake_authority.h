// FakeAuthority: certificates for tests, made when they are needed: good ones, and each kind of bad
// one.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "net/openssl_handles.h"

namespace brigada {

using KeyHandle = std::unique_ptr<EVP_PKEY, OpenSslFree<EVP_PKEY_free>>;
using CertificateHandle = std::unique_ptr<X509, OpenSslFree<X509_free>>;

/// A certificate and its key.
struct Identity {
    CertificateHandle certificate;
    KeyHandle key;

    std::string certificate_pem() const {
        const BioHandle memory(BIO_new(BIO_s_mem()));
        PEM_write_bio_X509(memory.get(), certificate.get());
        return text_of(memory.get());
    }
    std::string key_pem() const {
        const BioHandle memory(BIO_new(BIO_s_mem()));
        PEM_write_bio_PrivateKey(memory.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        return text_of(memory.get());
    }

  private:
    static std::string text_of(BIO* memory) {
        char* data = nullptr;
        const long size = BIO_get_mem_data(memory, &data);
        return {data, static_cast<size_t>(size)};
    }
};

struct CertificateWish {
    std::string names = "DNS:localhost,IP:127.0.0.1";  // subjectAltName; "": none
    std::string common_name = "server";
    long from_s = -3'600;  // of its validity, from now
    long until_s = 3'600;
    bool is_authority = false;
};

inline Identity make_certificate(const CertificateWish& wish, const Identity* issuer) {
    static long serial = 1;
    Identity out{CertificateHandle(X509_new()), KeyHandle(EVP_EC_gen("P-256"))};
    X509* const certificate = out.certificate.get();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
    X509_gmtime_adj(X509_getm_notBefore(certificate), wish.from_s);
    X509_gmtime_adj(X509_getm_notAfter(certificate), wish.until_s);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(wish.common_name.c_str()), -1,
                               -1, 0);
    X509* const signer = issuer ? issuer->certificate.get() : certificate;
    X509_set_issuer_name(certificate, X509_get_subject_name(signer));
    X509_set_pubkey(certificate, out.key.get());
    const auto extend = [&](int kind, const std::string& value) {
        X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
        CHECK(extension, "no such extension: ", value);
        X509_add_ext(certificate, extension, -1);
        X509_EXTENSION_free(extension);
    };
    if (!wish.names.empty()) extend(NID_subject_alt_name, wish.names);
    if (wish.is_authority) extend(NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate, issuer ? issuer->key.get() : out.key.get(), EVP_sha256());
    return out;
}

class FakeAuthority {
  public:
    explicit FakeAuthority(std::string name = "Test CA")
        : own_(make_certificate({.names = "", .common_name = std::move(name), .is_authority = true},
                                nullptr)) {}

    Identity issue(const CertificateWish& wish = {}) const { return make_certificate(wish, &own_); }
    std::string pem() const { return own_.certificate_pem(); }

  private:
    Identity own_;
};

}  // namespace brigada
