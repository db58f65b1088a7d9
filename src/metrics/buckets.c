#include "buckets.h"

/* From a save on a fast disk to a visitor who waited half an hour. 9 s lies between claimWait (8 s) with its commit and the heads' own
 * timeout of 15 s: what is above it will soon be an error on a screen. */
static const struct bucket_set seconds = { 21, { 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 9, 15, 30, 60,
                                                 120, 300, 600, 1800 } };
/* People wait in seconds and minutes. */
static const struct bucket_set waits = { 14, { 0.5, 1, 2.5, 5, 9, 15, 30, 60, 120, 180, 300, 600, 1200, 1800 } };
/* The mutex has a bound of 2 ms. */
static const struct bucket_set holds = { 13, { 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.25,
                                               1 } };
static const struct bucket_set groups = { 13, { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096 } };

const struct bucket_set *buckets_of(enum metric_id id)
{
    switch (id) {
    case METRIC_CLAIM_LATENCY:
    case METRIC_SAVE_SECONDS:
        return &seconds;
    case METRIC_QUEUE_WAIT:
    case METRIC_ETA_ERROR:
        return &waits;
    case METRIC_MUTEX_HELD:
        return &holds;
    case METRIC_SAVE_GROUP:
        return &groups;
    default:
        return NULL;
    }
}
