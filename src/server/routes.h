// Routes: which handler answers which method and path, and what is said of the others.
#pragma once

#include "net/http_server.h"
#include "server/service.h"

namespace brigada {

/// The handler of `brigada serve`. 404 lists the paths there are, 405 the methods a path takes. The
/// service must outlive it.
HttpHandler make_routes(Service& service);

}  // namespace brigada
