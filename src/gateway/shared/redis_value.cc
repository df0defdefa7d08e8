#include "gateway/shared/redis_value.h"

#include <hiredis/hiredis.h>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

redisReader* reader_of(void* reader) {
    return static_cast<redisReader*>(reader);
}

RedisValue value_of(const redisReply& reply) {
    RedisValue out;
    switch (reply.type) {
        case REDIS_REPLY_INTEGER:
            out.kind = RedisValue::Kind::integer;
            out.integer = reply.integer;
            break;
        case REDIS_REPLY_STRING:
        case REDIS_REPLY_STATUS:
            out.kind = RedisValue::Kind::text;
            out.text.assign(reply.str, reply.len);
            break;
        case REDIS_REPLY_ERROR:
            out.kind = RedisValue::Kind::error;
            out.text.assign(reply.str, reply.len);
            break;
        case REDIS_REPLY_ARRAY:
            out.kind = RedisValue::Kind::list;
            for (size_t i = 0; i < reply.elements; ++i)
                out.list.push_back(value_of(*reply.element[i]));
            break;
        default:
            break;
    }
    return out;
}

}  // namespace

void RedisReader::Free::operator()(void* reader) const {
    redisReaderFree(reader_of(reader));
}

RedisReader::RedisReader() : reader_(redisReaderCreate()) {
    CHECK(reader_, "no memory");
}

RedisReader::~RedisReader() = default;

void RedisReader::feed(std::span<const char> bytes) {
    (void)redisReaderFeed(reader_of(reader_.get()), bytes.data(), bytes.size());  // next() says it
}

Result<std::optional<RedisValue>> RedisReader::next() {
    void* reply = nullptr;
    redisReader* reader = reader_of(reader_.get());
    if (redisReaderGetReply(reader, &reply) != REDIS_OK)
        return Error{Code::corrupt, concat("Redis answered what is no answer: ", reader->errstr)};
    if (reply == nullptr) return std::optional<RedisValue>();
    RedisValue out = value_of(*static_cast<redisReply*>(reply));
    freeReplyObject(reply);
    return std::optional<RedisValue>(std::move(out));
}

void append_command(std::span<const std::string> words, std::string& out) {
    out += concat("*", words.size(), "\r\n");
    for (const std::string& word : words) {
        out += concat("$", word.size(), "\r\n");
        out += word;
        out += "\r\n";
    }
}

}  // namespace brigada
