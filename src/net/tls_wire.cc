#include "net/tls_wire.h"

#include <utility>

#include "base/check.h"

namespace brigada {

// Lives as long as the process: OpenSSL gives every method a number, and has few.
const BIO_METHOD* TlsWire::method() {
    static const BIO_METHOD* const made = [] {
        BIO_METHOD* out = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "brigada");
        CHECK(out, "OpenSSL has no room for another BIO");
        BIO_meth_set_read(out, bio_read);
        BIO_meth_set_write(out, bio_write);
        BIO_meth_set_ctrl(out, bio_control);
        return out;
    }();
    return made;
}

BIO* TlsWire::make_bio() {
    BIO* bio = BIO_new(method());
    CHECK(bio, "OpenSSL gives no BIO");
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    return bio;
}

int TlsWire::bio_read(BIO* bio, char* room, int size) {
    BIO_clear_retry_flags(bio);
    auto* wire = static_cast<TlsWire*>(BIO_get_data(bio));
    const IoOutcome got = wire->receive({room, static_cast<size_t>(size)});
    if (got.status == IoStatus::ok) return static_cast<int>(got.bytes);
    if (got.status == IoStatus::not_now) BIO_set_retry_read(bio);
    return got.status == IoStatus::end ? 0 : -1;
}

IoOutcome TlsWire::receive(std::span<char> room) {
    const IoOutcome got = emptied_ ? IoOutcome{IoStatus::not_now} : stream_.try_read(room);
    last_read_ = got.status;
    emptied_ = got.status != IoStatus::ok || got.bytes < room.size();
    return got;
}

int TlsWire::bio_write(BIO* bio, const char* bytes, int size) {
    BIO_clear_retry_flags(bio);
    auto* wire = static_cast<TlsWire*>(BIO_get_data(bio));
    wire->out_.append(bytes, static_cast<size_t>(size));
    return size;
}

long TlsWire::bio_control(BIO*, int command, long, void*) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;  // all is on its way to flush()
}

Task<IoStatus> TlsWire::flush(Duration stall) {
    IoStatus status = IoStatus::ok;
    flushing_ = true;
    while (!out_.empty() && status == IoStatus::ok) {
        std::string out = std::exchange(out_, {});
        iovec piece{out.data(), out.size()};
        status = co_await stream_.write_all({&piece, 1}, stall);
        if (!out_.empty()) continue;
        out.clear();
        out_ = std::move(out);  // its memory serves the next records
    }
    flushing_ = false;
    co_return status;
}

void TlsWire::release() {
    if (out_.empty()) out_ = {};
}

void TlsWire::flush_what_fits() {
    if (out_.empty() || flushing_) return;
    out_.erase(0, stream_.try_write(out_).bytes);
}

}  // namespace brigada
