// Hierarchy: who may call, from where it is kept to who administers it. Alone, a gateway keeps it
// in data_dir (directory.db, audit.log); with a database it shares it with others and keeps a copy
// (directory-copy.db), to start from when the database is away.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/administration.h"
#include "gateway/directory/directory.h"
#include "gateway/directory_watch.h"
#include "ledger/audit_log.h"
#include "ledger/postgres.h"

namespace brigada {

struct HierarchyConfig {
    Path folder = {};
    std::string pepper = {};                      // empty: that of the file, made if there is none
    std::optional<PostgresConfig> postgres = {};  // where it is shared
    DirectoryConfig directory = {};
};

class Hierarchy {
  public:
    /// Errors of the files; of the database only when there is no copy to start from, or when this
    /// gateway must not use it.
    static Result<std::unique_ptr<Hierarchy>> open(const HierarchyConfig& config, Loop& loop);
    ~Hierarchy();

    Directory& directory() { return *directory_; }
    Administration& administration() { return *administration_; }

    /// What somebody should know of the start.
    const std::vector<std::string>& notes() const { return notes_; }

    /// Why nothing can be changed and nothing is learnt from others; empty while both is well.
    std::string trouble() const { return watch_ ? watch_->trouble() : std::string(); }

    /// Finishes what is being written. Not on the loop, and before it ends.
    void stop();

  private:
    explicit Hierarchy(Loop& loop) : loop_(loop) {}
    Result<DirectoryNews> open_alone(const Path& folder, const std::string& pepper_mark);
    Result<DirectoryNews> open_shared(const HierarchyConfig& config,
                                      const std::string& pepper_mark);
    Result<DirectoryNews> load_shared(PostgresDirectory& database, SqliteDirectory& copy);
    void watch(const PostgresConfig& postgres, const std::string& pepper_mark,
               const DirectoryNews& known);

    Loop& loop_;
    std::vector<std::string> notes_;
    std::optional<AuditLog> audit_;          // alone
    std::unique_ptr<DirectoryStore> file_;   // alone
    std::unique_ptr<SqliteDirectory> copy_;  // shared; the watch's, once it runs
    std::unique_ptr<DirectoryStore> store_;
    std::unique_ptr<Directory> directory_;
    std::unique_ptr<Administration> administration_;
    std::unique_ptr<DirectoryWatch> watch_;  // shared
};

}  // namespace brigada
