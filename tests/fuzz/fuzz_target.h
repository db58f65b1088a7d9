/* fuzz_target.h - what libFuzzer calls, and corpus_main.c in its place. A target must live through every input; it aborts when a promise of
 * its parser is broken. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
