/* corpus_main.c - runs the files named on the command line through a fuzz target, without a fuzzer: what once was found stays fixed. */
#include <fcntl.h>
#include <stdio.h>

#include "fuzz_target.h"
#include "hydra/base/arena.h"
#include "hydra/os/file.h"

#define INPUT_MAX ((size_t)1024 * 1024)

int main(int argc, char **argv)
{
    int passed = 0;
    for (int i = 1; i < argc; i++) {
        char *text = NULL;
        size_t len = 0;
        struct hc_diag diag;
        if (os_file_read(AT_FDCWD, argv[i], INPUT_MAX, &text, &len, NULL, &diag) != HC_OK) {
            (void)fprintf(stderr, "%s\n", diag.text);
            return 1;
        }
        (void)LLVMFuzzerTestOneInput((const uint8_t *)text, len);
        hc_free(text);
        passed++;
    }
    (void)printf("%d passed, 0 failed\n", passed);
    return passed > 0 ? 0 : 1;
}
