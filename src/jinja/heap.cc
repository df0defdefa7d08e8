#include "jinja/heap.h"

#include <limits>

#include "base/concat.h"

namespace brigada::jinja {

namespace {

constexpr size_t kSmallText = 256;  // copied into the arena; longer ones keep their own allocation

}  // namespace

void* Heap::Counter::do_allocate(size_t bytes, size_t alignment) {
    bytes_ += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
}

void Heap::Counter::do_deallocate(void* memory, size_t bytes, size_t alignment) {
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
}

Result<void> Heap::work(uint64_t units) {
    work_ = units > limits_.max_work - work_ ? limits_.max_work : work_ + units;
    if (work_ >= limits_.max_work)
        return Error{Code::too_large, concat("the template does too much: over ", limits_.max_work,
                                             " steps of evaluation")};
    return room_for(0);
}

Result<void> Heap::room_for(size_t bytes) const {
    const size_t used = counter_.bytes();
    if (used > limits_.max_heap_bytes || bytes > limits_.max_heap_bytes - used)
        return Error{Code::too_large, concat("the template needs over ", limits_.max_heap_bytes,
                                             " bytes of memory")};
    return {};
}

Result<Value> Heap::text(std::string&& value) {
    TRY(room_for(value.size()));
    TRY(work(work_of_bytes(value.size())));
    if (value.size() <= kSmallText) {
        char* bytes = static_cast<char*>(arena_.allocate(value.size() + 1, 1));
        value.copy(bytes, value.size());
        return Value::text({bytes, value.size()});
    }
    counter_.add(value.capacity());
    return Value::text(texts_.emplace_back(std::move(value)));
}

List* Heap::list(std::span<const Value> items) {
    List* out = list();
    out->items.assign(items.begin(), items.end());
    return out;
}

List* Heap::tuple(std::span<const Value> items) {
    List* out = list(items);
    out->is_tuple = true;
    return out;
}

Result<Value> Heap::from_json(const Json& json) {
    return from_json(json, 0);
}

Result<Value> Heap::from_json(Json&& json) {
    const Json& kept = documents_.emplace_back(std::move(json));
    return from_json(kept, 0);
}

Result<Value> Heap::from_json(const Json& json, int depth) {
    if (depth > kJsonMaxDepth)
        return template_error(concat("JSON is nested over ", kJsonMaxDepth, " deep"));
    switch (json.type()) {
        case Json::value_t::boolean:
            return Value::boolean(json.get<bool>());
        case Json::value_t::number_integer:
            return Value::integer(json.get<int64_t>());
        case Json::value_t::number_unsigned: {
            const auto number = json.get<uint64_t>();
            if (number > uint64_t(std::numeric_limits<int64_t>::max()))
                return Value::real(static_cast<double>(number));
            return Value::integer(static_cast<int64_t>(number));
        }
        case Json::value_t::number_float:
            return Value::real(json.get<double>());
        case Json::value_t::string:
            return Value::text(json.get_ref<const std::string&>());
        case Json::value_t::array: {
            List* out = list();
            out->items.reserve(json.size());
            for (const Json& item : json) {
                TRY(const Value value, from_json(item, depth + 1));
                out->items.push_back(value);
            }
            return Value(out);
        }
        case Json::value_t::object: {
            Dict* out = dict();
            for (auto it = json.begin(); it != json.end(); ++it) {
                TRY(const Value value, from_json(it.value(), depth + 1));
                out->set(Value::text(it.key()), value);
            }
            return Value(out);
        }
        case Json::value_t::null:
        case Json::value_t::binary:
        case Json::value_t::discarded:
            break;
    }
    return Value::none();
}

Result<void> TextBuilder::add(std::string_view piece) {
    TRY(heap_.work(1 + work_of_bytes(piece.size())));
    TRY(heap_.room_for(text_.size() + piece.size()));
    text_.append(piece);
    return {};
}

Result<void> TextBuilder::add(char c, size_t times) {
    TRY(heap_.room_for(times));
    TRY(heap_.room_for(text_.size() + times));
    TRY(heap_.work(1 + work_of_bytes(times)));
    text_.append(times, c);
    return {};
}

}  // namespace brigada::jinja
