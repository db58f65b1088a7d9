/* derive.h - the one keyed hash the core may use; declared here, defined in crypto/ (HMAC-SHA256) and, for virtual time, in tests/sim.
 *
 * Ids, app tokens and claim tokens come from it, so that a step re-run with the same seed makes the same ids (rules §6.5.1). */
#ifndef HYDRA_BASE_DERIVE_H
#define HYDRA_BASE_DERIVE_H

#include <stddef.h>
#include <stdint.h>

/* out = HMAC-SHA256(key, label || 0x00 || data[0..len)). Never fails: crypto/ checks its library at start. */
void hc_derive(const uint8_t key[32], const char *label, const void *data, size_t len, uint8_t out[32]);

#endif
