/* folder.h - a data folder for each test, made by store_init(), gone after it. */
#ifndef TESTS_UNIT_STORE_FOLDER_H
#define TESTS_UNIT_STORE_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

struct folder { char path[64]; int fd; };

int folder_empty(void **state);          /* cmocka setup; *state is a struct folder, with nothing in it */
int folder_init(void **state);           /* the same, after store_init() */
int folder_remove(void **state);
void folder_put(const struct folder *folder, const char *name, const char *text);      /* in place: the inode stays */
char *folder_get(const struct folder *folder, const char *name);                       /* free() it; NULL: no such file */
bool folder_has(const struct folder *folder, const char *name);
void folder_delete(const struct folder *folder, const char *name);
unsigned folder_mode(const struct folder *folder, const char *name);

#endif
