// The doctor's checks. Each is in a file of its name and only looks.
#pragma once

#include "gateway/config/gateway_config.h"
#include "gateway/doctor/finding.h"

namespace brigada {

/// The folder can be written, has room, and belongs to no other; the pepper is where it must be.
void check_data_folder(const GatewayConfig& config, Findings& findings);

/// Whether a gateway holds this data folder now; the process, for people.
std::string holder_of_data(const GatewayConfig& config);

/// The schemas of the directory and the ledger are of this build.
void check_stores(const GatewayConfig& config, Findings& findings);

/// Each deployment is reached, takes our key and has the model.
void check_upstreams(const GatewayConfig& config, Findings& findings);

/// How the tokens of each deployment are priced.
void check_prices(const GatewayConfig& config, Findings& findings);

/// Whose prompts are counted by a tokenizer, and whose are estimated.
void check_tokenizers(const GatewayConfig& config, Findings& findings);

/// The address to listen on is free, or held by the gateway of this data folder.
void check_listening(const GatewayConfig& config, Findings& findings);

/// As many files may be open as the door has connections.
void check_open_files(const GatewayConfig& config, Findings& findings);

/// The clock is set, kept, and not behind what the ledger has seen.
void check_clock(const GatewayConfig& config, Findings& findings);

}  // namespace brigada
