// TinyHub: an HTTP server for this folder's tests. It answers each request, one after another, with
// what a function says, and can break a connection in the middle of a body.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "hub/disk.h"

namespace brigada {

class TinyHub {
  public:
    struct Request {
        std::string path;                            // with the query
        std::map<std::string, std::string> headers;  // names in lower case

        /// First byte of its Range, 0 without one.
        size_t from() const;
    };

    struct Answer {
        int status = 200;
        std::vector<std::string> headers = {};  // "name: value"
        std::string body = {};
        size_t cut_after =
            std::string::npos;  // bytes of the body sent before the connection breaks
    };

    using Handler = std::function<Answer(const Request&)>;

    explicit TinyHub(Handler handler);
    ~TinyHub();
    TinyHub(const TinyHub&) = delete;
    TinyHub& operator=(const TinyHub&) = delete;

    std::string address() const;
    std::vector<Request> requests() const;

    /// The file as a hub serves it: whole, or what its Range asks for.
    static Answer file(const Request& request, std::string_view bytes, std::string_view etag);

  private:
    void serve();
    void answer_one(const FileDescriptor& connection);

    Handler handler_;
    FileDescriptor listener_;
    uint16_t port_ = 0;
    mutable std::mutex mutex_;
    std::vector<Request> requests_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

}  // namespace brigada
