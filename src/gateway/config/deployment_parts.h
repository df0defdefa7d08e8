// Parts of one entry of model_list that have a file of their own: its prices and its model_info.
#pragma once

#include <optional>

#include "gateway/config/deployment.h"
#include "gateway/config/yaml_reader.h"

namespace brigada {

/// Prices per token and per call, and those above a length of prompt
/// (input_cost_per_token_above_200k_tokens). What is absent stays as it was.
void read_prices(YamlFields& fields, Deployment& out);

/// Warns of calls that cost nothing because a part of what prices them is missing.
void check_prices(const YamlValue& params, const Deployment& deployment);

/// A weight such as 2 or 0.5, in thousandths.
void read_weight(YamlFields& fields, std::optional<int64_t>& out);

/// Which dialects the upstream answers as they come: LiteLLM's supported_endpoints.
void read_spoken(YamlFields& info, Deployment& out);
/// Where nothing was said: what servers of its kind speak.
void settle_spoken(Deployment& out);

void read_model_info(const YamlValue& value, Deployment& out);

}  // namespace brigada
