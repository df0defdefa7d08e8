// DirectoryStore: the directory's records in one SQLite file. A change is on the disk before it is
// answered; what was written under another pepper or by a newer brigada is refused with words.
#pragma once

#include <memory>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "gateway/directory/change.h"
#include "gateway/directory/records.h"

struct sqlite3;

namespace brigada {

class DirectoryStore : public DirectoryJournal {
  public:
    /// Opens or makes the file and brings an older schema up to date. `pepper_mark` is that of the
    /// KeyHasher whose hashes are kept here. Error::io, ::unsupported for a newer schema,
    /// ::invalid_argument for another pepper.
    static Result<std::unique_ptr<DirectoryStore>> open(const Path& path,
                                                        std::string_view pepper_mark);

    /// The newest schema that this build reads and makes.
    static int newest_schema();

    /// Every record, in no order that means anything. Error::io, ::corrupt.
    Result<std::vector<Record>> load() const;

    /// In one transaction, synced. Error::unavailable when the disk or another process is in the
    /// way; nothing is changed then.
    Result<void> write(const Changes& changes) override;

  private:
    struct Close {
        void operator()(sqlite3* database) const;
    };

    DirectoryStore(Path path, sqlite3* database) : path_(std::move(path)), database_(database) {}

    Result<void> migrate();
    Result<void> check_pepper(std::string_view pepper_mark);
    Result<void> write_one(const Change& change);
    Result<void> execute(const char* sql) const;
    Error failed(std::string_view doing) const;

    Path path_;
    std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace brigada
