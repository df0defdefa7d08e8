#include "api/reply.h"

#include "api/error_body.h"

namespace brigada {

Chunks Reply::failure(const Error& error) {
    return {error_body(error)};
}

}  // namespace brigada
