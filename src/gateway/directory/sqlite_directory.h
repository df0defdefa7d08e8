// SqliteDirectory: the directory's records in one SQLite file, all there is or a copy of what a
// database has. What was written under another pepper or by a newer brigada is refused with words.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "gateway/directory/directory_store.h"

struct sqlite3;

namespace brigada {

class SqliteDirectory : public DirectoryStore {
  public:
    /// Opens or makes the file and brings an older schema up to date. `pepper_mark` is that of the
    /// KeyHasher whose hashes are kept here. Error::io, ::unsupported for a newer schema,
    /// ::invalid_argument for another pepper.
    static Result<std::unique_ptr<SqliteDirectory>> open(const Path& path,
                                                         std::string_view pepper_mark);

    /// The newest schema that this build reads and makes.
    static int newest_schema();

    Result<DirectoryNews> load() override;
    Result<std::optional<uint64_t>> write(const Changes& changes, uint64_t base) override;
    /// Nothing: the audit log of this store is another file's.
    Result<void> note(std::span<const AuditEvent>) override { return {}; }
    /// Nothing: the file has no other writer.
    Result<DirectoryNews> since(uint64_t revision) override;

    /// What a database has, with its revision.
    Result<void> keep(const DirectoryNews& news);

  private:
    struct Close {
        void operator()(sqlite3* database) const;
    };

    SqliteDirectory(Path path, sqlite3* database) : path_(std::move(path)), database_(database) {}

    Result<void> migrate();
    Result<void> check_pepper(std::string_view pepper_mark);
    Result<void> put_all(const DirectoryNews& news);
    Result<void> put(std::string_view kind, std::string_view id, const std::string& record);
    Result<void> remove(std::string_view kind, std::string_view id);
    Result<std::string> fact(std::string_view name) const;
    Result<void> set_fact(std::string_view name, std::string_view value);
    Result<void> execute(const char* sql) const;
    Error failed(std::string_view doing) const;

    Path path_;
    std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace brigada
