#include "made_keys.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/err.h"
#include "hydra/os/file.h"
#include "process.h"

#define FILE_MAX   16384
#define PATH_SIZE  512

static char *read_one(const char *folder, const char *form, const char *word, unsigned number)
{
    char name[64], path[PATH_SIZE + sizeof name], *text = NULL;
    size_t len = 0;
    struct hc_diag diag = { "" };
    (void)snprintf(name, sizeof name, form, word, number);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    if (os_file_read(AT_FDCWD, path, FILE_MAX, &text, &len, NULL, &diag) != HC_OK)
        fail_msg("%s: %s", path, diag.text);
    return text;
}

void made_key_next(enum made_for whom, struct made_key *ret)
{
    static const char *const words[MADE_FOR_COUNT] = MADE_FOR_WORDS;
    static unsigned given[MADE_FOR_COUNT];
    char folder[PATH_SIZE];
    unsigned number = given[whom]++ % MADE_KEYS;
    program_path("TEST_KEYS", MADE_KEYS_DIR, folder, sizeof folder);
    ret->cert_pem = read_one(folder, MADE_CERT_NAME, words[whom], number);
    ret->key_pem = read_one(folder, MADE_KEY_NAME, words[whom], number);
}

void made_key_free(struct made_key *key)
{
    hc_free(key->cert_pem);
    hc_free(key->key_pem);
    *key = (struct made_key){ 0 };
}
