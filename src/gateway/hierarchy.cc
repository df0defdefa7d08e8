#include "gateway/hierarchy.h"

#include <utility>

#include "base/concat.h"
#include "gateway/audited_store.h"
#include "gateway/kept_secret.h"

namespace brigada {

namespace {

bool is_passing(const Error& error) {
    return error.code == Code::unavailable || error.code == Code::deadline;
}

}  // namespace

Hierarchy::~Hierarchy() = default;

Result<std::unique_ptr<Hierarchy>> Hierarchy::open(const HierarchyConfig& config, Loop& loop) {
    // Of the key hashes: who has it and the directory can still not read keys, only test guesses.
    std::string pepper = config.pepper;
    if (pepper.empty()) {
        TRY(pepper, read_or_make_secret(config.folder / "pepper", os_random()));
    }
    KeyHasher hasher(pepper);
    const std::string mark(hasher.pepper_mark());
    std::unique_ptr<Hierarchy> out(new Hierarchy(loop));
    TRY(DirectoryNews state,
        config.postgres ? out->open_shared(config, mark) : out->open_alone(config.folder, mark));
    out->directory_ = std::make_unique<Directory>(config.directory, std::move(hasher), os_random());
    TRY(out->directory_->restore(std::move(state.now)));
    out->administration_ =
        std::make_unique<Administration>(loop, *out->directory_, *out->store_, state.revision);
    if (config.postgres) out->watch(*config.postgres, mark, state);
    return out;
}

Result<DirectoryNews> Hierarchy::open_alone(const Path& folder, const std::string& pepper_mark) {
    TRY(file_, SqliteDirectory::open(folder / "directory.db", pepper_mark));
    TRY(audit_, AuditLog::open(folder / "audit.log"));
    store_ = std::make_unique<AuditedStore>(*audit_, *file_);
    return store_->load();
}

Result<DirectoryNews> Hierarchy::open_shared(const HierarchyConfig& config,
                                             const std::string& pepper_mark) {
    TRY(copy_, SqliteDirectory::open(config.folder / "directory-copy.db", pepper_mark));
    auto database = std::make_unique<PostgresDirectory>(*config.postgres, pepper_mark);
    Result<DirectoryNews> state = load_shared(*database, *copy_);
    store_ = std::move(database);
    return state;
}

/// From the database, else as it was when it was last seen.
Result<DirectoryNews> Hierarchy::load_shared(PostgresDirectory& database, SqliteDirectory& copy) {
    Result<DirectoryNews> shared = database.load();
    if (shared.ok()) {
        TRY(copy.keep(*shared));
        return shared;
    }
    if (!is_passing(shared.error())) return shared;
    TRY(DirectoryNews kept, copy.load());
    if (kept.origin.empty())
        return Error{shared.error().code,
                     concat(shared.error().message,
                            ". There is no copy of its keys in data_dir to start from yet, so "
                            "nobody could call: start it when the database answers")};
    database.set_origin(kept.origin);
    notes_.push_back(
        concat(shared.error().message,
               "; keys and limits are those of its last known state until it answers"));
    return kept;
}

void Hierarchy::watch(const PostgresConfig& postgres, const std::string& pepper_mark,
                      const DirectoryNews& known) {
    auto database = std::make_unique<PostgresDirectory>(postgres, pepper_mark);
    database->set_origin(known.origin);
    const auto tell = [this](DirectoryNews news) {
        return loop_.post(
            [this, news = std::move(news)]() mutable { administration_->take(std::move(news)); });
    };
    watch_ = std::make_unique<DirectoryWatch>(std::move(database), std::move(copy_), known.revision,
                                              tell);
}

void Hierarchy::stop() {
    if (watch_) watch_->stop();
    administration_->stop();
    loop_.run([] {});  // behind what the watch has told it
}

}  // namespace brigada
