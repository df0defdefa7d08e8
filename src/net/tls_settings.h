// TlsSettings: whom we trust and who we are, when we are the client of a TLS connection. Plain
// values, as a configuration says them.
#pragma once

#include <compare>
#include <string>

namespace brigada {

struct TlsSettings {
    bool verifies = true;               // false: any certificate will do, which protects nothing
    std::string ca_file = {};           // PEM; "": what this machine trusts
    std::string certificate_file = {};  // our own with its chain, PEM, where a server asks for one
    std::string key_file = {};          // its key; "": in certificate_file

    friend auto operator<=>(const TlsSettings&, const TlsSettings&) = default;
};

}  // namespace brigada
