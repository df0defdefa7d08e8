// Who is let in: certificates good and bad, versions, and servers that speak no TLS.
#include "net/tls_client_fixture.h"

namespace brigada {
namespace {

void say_hello(RawTlsServer::Peer& peer) {
    while (!peer.read_request().empty())
        peer.answer("hello");
}

class TlsTrust : public TlsClientFixture {
  protected:
    /// What a call of `host` gets from a server with this certificate.
    std::string told_by(const Identity& identity, const std::string& host = "localhost") {
        RawTlsServer server(identity, say_hello);
        return replace_port(body_of(call(server.port(), host)), server.port());
    }
    std::string told(const CertificateWish& wish, const std::string& host = "localhost") {
        return told_by(authority_.issue(wish), host);
    }
    static std::string replace_port(std::string text, uint16_t port) {
        const std::string digits = std::to_string(port);
        for (size_t at; (at = text.find(digits)) != std::string::npos;)
            text.replace(at, digits.size(), "PORT");
        return text;
    }

    std::string ca_;
};

TEST_F(TlsTrust, trusts_a_name_or_an_address_the_authority_has_signed) {
    EXPECT_EQ(told({}), "hello");
    EXPECT_EQ(told({}, "127.0.0.1"), "hello");
}

TEST_F(TlsTrust, says_for_whom_a_certificate_is) {
    EXPECT_EQ(told({.names = "DNS:a.example,DNS:*.b.example,IP:10.0.0.1"}),
              "error: the certificate of localhost:PORT is for a.example, *.b.example, 10.0.0.1, "
              "not for localhost; call it by a name that it has");
    EXPECT_EQ(told({.names = "DNS:127.0.0.1"}, "127.0.0.1"),
              "error: the certificate of 127.0.0.1:PORT is for 127.0.0.1, not for 127.0.0.1; call "
              "it by a name that it has");  // a name is no address
    EXPECT_EQ(told({.names = "DNS:a,DNS:b,DNS:c,DNS:d,DNS:e,DNS:f,DNS:g"}),
              "error: the certificate of localhost:PORT is for a, b, c, d, e and 2 more, not for "
              "localhost; call it by a name that it has");
    EXPECT_EQ(told({.names = "", .common_name = "elsewhere"}),
              "error: the certificate of localhost:PORT is for CN=elsewhere, not for localhost; "
              "call it by a name that it has");
    EXPECT_EQ(told({.names = "DNS:localho*"}).substr(0, 50),
              "error: the certificate of localhost:PORT is for lo");  // no partial wildcards
}

TEST_F(TlsTrust, says_when_a_certificate_is_valid) {
    const std::string expired = told({.from_s = -7'200, .until_s = -3'600});
    EXPECT_TRUE(expired.starts_with("error: the certificate of localhost:PORT expired on 20"))
        << expired;
    const std::string early = told({.from_s = 3'600, .until_s = 7'200});
    EXPECT_TRUE(early.starts_with("error: the certificate of localhost:PORT is valid from 20"))
        << early;
}

TEST_F(TlsTrust, says_which_authority_is_unknown) {
    EXPECT_EQ(told_by(FakeAuthority("Another CA").issue()),
              "error: the certificate of localhost:PORT was issued by CN=Another CA, which is not "
              "trusted; a CA file with that authority in it would do");
    EXPECT_EQ(told_by(make_certificate({}, nullptr)),
              "error: the certificate of localhost:PORT is signed by itself and not trusted; a CA "
              "file with that certificate in it would do");
}

TEST_F(TlsTrust, shows_nothing_of_a_certificate_that_is_not_text) {
    const std::string told_of = told_by(FakeAuthority("evil\r\nSet-Cookie: a\x1b[2J").issue());
    for (const char c : told_of)
        EXPECT_TRUE(c >= ' ' && c < 0x7f) << static_cast<int>(c);
}

TEST_F(TlsTrust, a_self_signed_certificate_is_its_own_ca_file) {
    const Identity own = make_certificate({.is_authority = true}, nullptr);
    trusting_ = open({.ca_file = write_test_file("own", own.certificate_pem())});
    EXPECT_EQ(told_by(own), "hello");
}

TEST_F(TlsTrust, anybody_will_do_when_verification_is_off) {
    trusting_ = open({.verifies = false});
    EXPECT_EQ(told_by(make_certificate({.names = "DNS:elsewhere", .until_s = -1}, nullptr)),
              "hello");
}

TEST_F(TlsTrust, what_the_system_trusts_holds_without_a_ca_file) {
    const std::string bundle = write_test_file("bundle", authority_.pem());
    ::setenv("SSL_CERT_FILE", bundle.c_str(), 1);
    trusting_ = open({});
    ::unsetenv("SSL_CERT_FILE");
    EXPECT_EQ(told({}), "hello");
}

TEST_F(TlsTrust, settings_that_trust_are_not_used_by_those_that_do_not) {
    RawTlsServer server(authority_.issue(), say_hello);
    HttpCall trusting = call(server.port());
    HttpCall strict = trusting;
    strict.tls = open({.ca_file = write_test_file("other", FakeAuthority("Other").pem())});
    EXPECT_EQ(body_of(trusting), "hello");  // its connection is kept, its session resumable
    EXPECT_NE(body_of(strict), "hello");
    HttpCall plain = trusting;
    plain.tls = nullptr;
    EXPECT_NE(body_of(plain), "hello");
}

TEST_F(TlsTrust, shows_its_own_certificate_to_who_asks) {
    const auto ask_for_one = [this](SSL_CTX* context) {
        X509_STORE* trusted = SSL_CTX_get_cert_store(context);
        const BioHandle pem(BIO_new_mem_buf(ca_.data(), static_cast<int>(ca_.size())));
        const CertificateHandle root(PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr));
        X509_STORE_add_cert(trusted, root.get());
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    };
    ca_ = authority_.pem();
    RawTlsServer server(authority_.issue(), say_hello, ask_for_one);
    const std::string fault = fault_of(call(server.port()));
    EXPECT_NE(fault.find("wants a client certificate"), std::string::npos) << fault;

    const Identity ours = authority_.issue({.names = "", .common_name = "brigada"});
    const std::string ca = write_test_file("ca", ca_);
    const std::string certificate = write_test_file("certificate", ours.certificate_pem());
    const std::string key = write_test_file("key", ours.key_pem());
    const std::string both = write_test_file("both", ours.certificate_pem() + ours.key_pem());
    trusting_ = open({.ca_file = ca, .certificate_file = certificate, .key_file = key});
    EXPECT_EQ(body_of(call(server.port())), "hello");
    trusting_ = open({.ca_file = ca, .certificate_file = both});
    EXPECT_EQ(body_of(call(server.port())), "hello");
}

TEST_F(TlsTrust, files_that_are_missing_or_unfit_are_named) {
    const auto fault = [](const TlsSettings& settings) {
        const auto context = TlsContext::open(settings);
        return context.ok() ? "" : context.error().message;
    };
    EXPECT_EQ(fault({.ca_file = "/nowhere/ca.pem"}),
              "can't read certificates of authorities from /nowhere/ca.pem: No such file or "
              "directory");
    const std::string junk = write_test_file("junk", "junk");
    EXPECT_TRUE(fault({.ca_file = junk}).contains(junk)) << fault({.ca_file = junk});
    const Identity ours = authority_.issue();
    const std::string certificate = write_test_file("certificate", ours.certificate_pem());
    EXPECT_TRUE(fault({.verifies = false, .certificate_file = certificate})
                    .contains("can't read the certificate's private key from"));
    const std::string other = write_test_file("other", authority_.issue().key_pem());
    EXPECT_TRUE(fault({.verifies = false, .certificate_file = certificate, .key_file = other})
                    .contains("key values mismatch"));
}

// --- servers that do not speak as they should -------------------------------------------------

TEST_F(TlsTrust, refuses_tls_before_1_2) {
    RawTlsServer server(authority_.issue(), say_hello, [](SSL_CTX* context) {
        SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
        SSL_CTX_set_min_proto_version(context, TLS1_1_VERSION);
        SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
    });
    EXPECT_EQ(fault_of(call(server.port())),
              concat("localhost:", server.port(), " speaks no TLS from version 1.2 on"));
}

TEST_F(TlsTrust, speaks_1_2_where_1_3_is_unknown) {
    RawTlsServer server(authority_.issue(), say_hello, [](SSL_CTX* context) {
        SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
    });
    EXPECT_EQ(body_of(call(server.port())), "hello");
}

TEST_F(TlsTrust, says_that_a_port_speaks_no_tls) {
    for (const std::string_view words : {"HTTP/1.1 400 Bad Request\r\n\r\n",
                                         "SSH-2.0-OpenSSH_9.2\r\n", "\x16\x03\x01\xff\xff....."}) {
        const ThreadedListener server([words](int socket) {
            char room[4096];
            if (::recv(socket, room, sizeof room, 0) > 0)
                ::send(socket, words.data(), words.size(), MSG_NOSIGNAL);
            ::shutdown(socket, SHUT_WR);
            while (::recv(socket, room, sizeof room, 0) > 0) {
            }
        });
        const std::string fault = fault_of(call(server.port()));
        EXPECT_EQ(fault, concat("localhost:", server.port(),
                                " answers something that is not TLS; is it plain http?"))
            << words;
    }
}

TEST_F(TlsTrust, says_that_a_server_left_in_the_handshake) {
    for (const bool reads : {false, true}) {
        const ThreadedListener server([reads](int socket) {
            char room[4096];
            if (reads) ::recv(socket, room, sizeof room, 0);
        });
        EXPECT_EQ(
            fault_of(call(server.port())),
            concat("localhost:", server.port(), " closed the connection in the TLS handshake"));
    }
}

TEST_F(TlsTrust, a_server_silent_in_the_handshake_is_left_in_time) {
    const ThreadedListener server([](int socket) {
        char room[4096];
        while (::recv(socket, room, sizeof room, 0) > 0) {
        }
    });
    HttpCall short_call = call(server.port());
    short_call.timeouts.connect = Duration::milliseconds(20);
    const auto answer = ask(short_call);
    EXPECT_EQ(answer.error().code, Code::deadline);
    EXPECT_EQ(answer.error().message,
              concat("TLS handshake: no connection to localhost:", server.port(), " within 20 ms"));
}

}  // namespace
}  // namespace brigada
