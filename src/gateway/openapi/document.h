// The OpenAPI document of the front door, made from what its routes and schemas say of themselves.
#pragma once

#include <span>

#include "base/json.h"
#include "gateway/openapi/route_doc.h"

namespace brigada {

/// OpenAPI 3.1. Every name of a schema exists (CHECK).
Json openapi_document(std::span<const DocumentedRoute> routes);

}  // namespace brigada
