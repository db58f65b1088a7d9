/* bad_input_rows.h - requests that must be refused, and how. In paths and bodies: %H the head with the lease, %O another head, %B the body,
 * %L the lease, %S its stream, %T its claim token. */
#ifndef BAD_INPUT_ROWS_H
#define BAD_INPUT_ROWS_H

#include <stddef.h>

enum asker { AS_HEAD, AS_OTHER, AS_BODY, AS_ADMIN, AS_FLEET };
struct bad_row {
    enum asker as;
    const char *method, *path, *body;
    long status;
    const char *error, *field;          /* field NULL: the answer has none */
    const char *type;                   /* Content-Type; NULL: application/json */
};
extern const struct bad_row bad_rows[];
extern const size_t bad_row_count;

#endif
