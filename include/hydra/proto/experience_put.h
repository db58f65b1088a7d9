/* experience_put.h - PUT /experiences/{name} (wire §1). */
#ifndef HYDRA_PROTO_EXPERIENCE_PUT_H
#define HYDRA_PROTO_EXPERIENCE_PUT_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

#define EXPERIENCE_WORD_MAX   32
#define EXPERIENCE_VENUES_MAX 1024

struct experience_put {
    uint64_t present;
    char label[HC_NAME_SIZE], orientation[EXPERIENCE_WORD_MAX + 1], stream_mode[EXPERIENCE_WORD_MAX + 1];
    bool enable_microphone;
    struct codec_list venues;                 /* const char *; empty: all */
};
extern const struct codec_table experience_put_table;

#endif
