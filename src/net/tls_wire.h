// TlsWire: what lies between OpenSSL and a socket, as a BIO. What OpenSSL writes is gathered, so
// that it never has to wait and many records cost one system call; what it reads comes straight
// from the socket. Private to TlsStream.
#pragma once

#include <openssl/bio.h>

#include <span>
#include <string>
#include <string_view>

#include "net/stream.h"

namespace brigada {

class TlsWire {
  public:
    explicit TlsWire(TcpStream stream) : stream_(std::move(stream)) {}
    TlsWire(const TlsWire&) = delete;
    TlsWire& operator=(const TlsWire&) = delete;

    /// For SSL_set_bio, which owns it then; the wire outlives it.
    BIO* make_bio();

    TcpStream& stream() { return stream_; }

    /// OpenSSL may ask the socket again. Until then, a socket that gave less than was asked for
    /// counts as empty, which saves a system call a read.
    void expect_input() { emptied_ = false; }
    /// How the last read from the socket went.
    IoStatus last_read() const { return last_read_; }

    size_t waiting() const { return out_.size(); }
    /// Room for so many bytes of records, until release().
    void reserve(size_t bytes) { out_.reserve(bytes); }
    void release();
    /// Sends what was gathered. Results as of TcpStream::write_all.
    Task<IoStatus> flush(Duration stall);
    /// What the kernel takes of it at once.
    void flush_what_fits();

  private:
    static int bio_read(BIO* bio, char* room, int size);
    static int bio_write(BIO* bio, const char* bytes, int size);
    static long bio_control(BIO* bio, int command, long number, void* pointer);
    static const BIO_METHOD* method();

    IoOutcome receive(std::span<char> room);

    TcpStream stream_;
    std::string out_;
    IoStatus last_read_ = IoStatus::not_now;
    bool emptied_ = false;
    bool flushing_ = false;  // records leave in the order they were made: one sender at a time
};

}  // namespace brigada
