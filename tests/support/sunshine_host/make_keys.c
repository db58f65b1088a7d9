/* make_keys.c - makes the key pairs of made_keys.h, once per build. Usage: make_keys FOLDER */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "hydra/base/buf.h"
#include "hydra/crypto/client_key.h"

#include "certificate.h"
#include "made_keys.h"

#define PATH_SIZE 512

static bool write_text(const char *path, const struct hc_buf *text)
{
    FILE *file = fopen(path, "we");
    bool written = file != NULL && fwrite(text->data, 1, text->len, file) == text->len;
    return file != NULL && fclose(file) == 0 && written;
}

static bool make_client(const char *cert_path, const char *key_path)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf key = { 0 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf cert = { 0 };
    return crypto_client_key_new(&key, &cert, NULL) == HC_OK && write_text(cert_path, &cert) && write_text(key_path, &key);
}

static bool make_host(const char *cert_path, const char *key_path)
{
    struct certificate made;
    if (!certificate_make("Sunshine Gamestream Host", NULL, &made))
        return false;
    bool saved = certificate_save(&made, cert_path, key_path);
    certificate_free(&made);
    return saved;
}

int main(int argc, char **argv)
{
    static const char *const words[MADE_FOR_COUNT] = MADE_FOR_WORDS;
    static bool (*const make[MADE_FOR_COUNT])(const char *cert_path, const char *key_path) = {
        [MADE_FOR_HOST] = make_host, [MADE_FOR_CLIENT] = make_client,
    };
    if (argc != 2) {
        (void)fprintf(stderr, "usage: make_keys FOLDER\n");
        return 2;
    }
    (void)mkdir(argv[1], 0700);
    for (size_t whom = 0; whom < MADE_FOR_COUNT; whom++)
        for (unsigned i = 0; i < MADE_KEYS; i++) {
            char cert[PATH_SIZE], key[PATH_SIZE];
            (void)snprintf(cert, sizeof cert, "%s/" MADE_CERT_NAME, argv[1], words[whom], i);
            (void)snprintf(key, sizeof key, "%s/" MADE_KEY_NAME, argv[1], words[whom], i);
            if (!make[whom](cert, key)) {
                (void)fprintf(stderr, "make_keys: %s cannot be made\n", key);
                return 1;
            }
        }
    return 0;
}
