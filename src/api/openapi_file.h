/* openapi_file.h - docs/openapi.yaml as it was when the program was built; made by scripts/embed-file. */
#ifndef API_OPENAPI_FILE_H
#define API_OPENAPI_FILE_H

#include <stddef.h>

extern const unsigned char openapi_file[];
extern const size_t openapi_file_len;

#endif
