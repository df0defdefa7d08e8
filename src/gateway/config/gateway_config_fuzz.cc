// Any bytes as a configuration: main.yaml up to the first NUL, then a.yaml and b.yaml, which it may
// include. It is read or refused with words; what is read is the same when it is read again.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "gateway/config/load_config.h"

namespace brigada {
namespace {

using Files = std::map<std::string, std::string>;

Files files_of(std::string_view bytes) {
    Files out;
    for (const char* name : {"main.yaml", "a.yaml", "b.yaml"}) {
        const size_t end = std::min(bytes.find('\0'), bytes.size());
        out[name] = bytes.substr(0, end);
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    return out;
}

Result<LoadedConfig> load(const Files& files) {
    const Environ environment = [](std::string_view name) {
        return name.starts_with("NO") ? std::nullopt : std::optional<std::string>("7");
    };
    return load_config("main.yaml", environment, [&](const Path& path) -> Result<std::string> {
        const auto found = files.find(path.string());
        if (found == files.end()) return Error{Code::not_found, path.string() + ": no such file"};
        return found->second;
    });
}

void check_ids(const GatewayConfig& config) {
    std::set<std::string> ids;
    for (const Deployment& deployment : config.deployments)
        CHECK(ids.insert(deployment.id).second, deployment.id);
}

}  // namespace
}  // namespace brigada

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    const Files files = files_of({reinterpret_cast<const char*>(data), size});
    const auto config = load(files);
    const auto again = load(files);
    CHECK(config.ok() == again.ok());
    if (!config.ok()) {
        CHECK(!config.error().message.empty() && config.error().message == again.error().message);
        return 0;
    }
    CHECK(config->config == again->config && config->warnings == again->warnings);
    check_ids(config->config);
    return 0;
}
