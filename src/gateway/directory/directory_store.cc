#include "gateway/directory/directory_store.h"

#include <map>
#include <utility>

#include "gateway/directory/record_json.h"

namespace brigada {

DirectoryNews news_of(const Changes& changes, uint64_t revision) {
    std::map<std::pair<RecordKind, std::string>, const Change*> last;
    for (const Change& change : changes)
        last[{change.kind, change.id}] = &change;
    DirectoryNews news{.revision = revision};
    for (const auto& [name, change] : last) {
        if (change->after.is_null())
            news.gone.push_back({change->kind, change->id});
        else
            news.now.push_back(record_from(change->kind, change->after).value());
    }
    return news;
}

}  // namespace brigada
