/* certificate.h - a P-256 key with its self-signed certificate, as PEM files in the home of a measurement. */
#ifndef BENCH_CERTIFICATE_H
#define BENCH_CERTIFICATE_H

#include "home.h"

void certificate_write(const struct home *home, const char *cert_name, const char *key_name);

#endif
