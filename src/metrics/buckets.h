/* buckets.h - upper bounds of each histogram's buckets, ascending; +Inf is not among them. */
#ifndef HYDRA_METRICS_BUCKETS_H
#define HYDRA_METRICS_BUCKETS_H

#include "hydra/metrics/metrics.h"

#define BUCKETS_MAX 24

struct bucket_set { size_t count; double bounds[BUCKETS_MAX]; };
const struct bucket_set *buckets_of(enum metric_id id);    /* NULL: not a histogram */

#endif
