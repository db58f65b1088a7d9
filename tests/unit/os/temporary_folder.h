/* temporary_folder.h - a fresh folder for each test, gone after it, with what is in it. */
#ifndef TESTS_UNIT_OS_TEMPORARY_FOLDER_H
#define TESTS_UNIT_OS_TEMPORARY_FOLDER_H

struct folder { char path[64]; int fd; };

int folder_setup(void **state);         /* cmocka fixtures; *state is a struct folder */
int folder_teardown(void **state);
void folder_put(const struct folder *folder, const char *name, const char *text);

#endif
