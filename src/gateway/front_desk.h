// FrontDesk: the front door's endpoints that are no calls to a model: which models there are, how
// the door does, management of who may call, and what was spent.
#pragma once

#include "gateway/gateway.h"
#include "gateway/openapi/route_doc.h"
#include "net/http_server.h"

namespace brigada {

/// Every path of the front door, calls included. Loop thread.
HttpHandler make_gateway_routes(Gateway& gateway);

/// All of them, with what they say of themselves: GET /openapi.json shows it.
std::vector<DocumentedRoute> documented_gateway_routes();

/// How the HTTP layer's own errors read: in the dialect of the path.
HttpErrorBody dress_gateway_error(const HttpError& error);

}  // namespace brigada
