/* openapi.c - GET /openapi.yaml: the description of this API, for programs (wire §5). */
#include "call.h"

#include "openapi_file.h"
#include "operator_routes.h"

static void openapi_get(struct call *call)
{
    call_bytes(call, 200, "application/yaml", (const char *)openapi_file, openapi_file_len);
}

const struct api_route openapi_routes[] = {
    { HTTP_GET, "/openapi.yaml", SCOPE_OPERATOR_READ, 0, openapi_get },
    { 0 },
};
