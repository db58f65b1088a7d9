/* made_keys.h - key pairs with their self-signed certificates, made once when the tests are built (make_keys.c): making an RSA key takes
 * longer than most tests, and each host and each head wants one.
 *
 *     struct made_key key;
 *     made_key_next(MADE_FOR_HOST, &key);
 *     home_write(&home, "sun-0/credentials/cacert.pem", key.cert_pem);
 *     made_key_free(&key);
 *
 * They are handed out in turn and begin again after MADE_KEYS of a kind, so that a test may hold so many different ones at a time. */
#ifndef MADE_KEYS_H
#define MADE_KEYS_H

#define MADE_KEYS       16
#define MADE_KEYS_DIR   "test_keys"         /* beside the test programs, or above them */
#define MADE_CERT_NAME  "%s-%u.pem"
#define MADE_KEY_NAME   "%s-%u.key"

enum made_for { MADE_FOR_HOST, MADE_FOR_CLIENT, MADE_FOR_COUNT };
#define MADE_FOR_WORDS { [MADE_FOR_HOST] = "host", [MADE_FOR_CLIENT] = "client" }

struct made_key { char *cert_pem, *key_pem; };
void made_key_next(enum made_for whom, struct made_key *ret);       /* fails the running test when they have not been made */
void made_key_free(struct made_key *key);

#endif
