/* gpu.h - what the machine says about its graphics card, for the report; looked up once, at start.
 *
 * NVIDIA tells by /proc/driver/nvidia and nvidia-smi, AMD by /sys/class/drm. What is not told stays "" and 0, and is not reported. */
#ifndef BODY_GPU_H
#define BODY_GPU_H

#include <stdint.h>

#include "hydra/base/id.h"

#define GPU_ASK_MS 5000         /* what nvidia-smi may take; it is ended then */

struct gpu { char name[HC_NAME_SIZE]; uint32_t memory_total_mb; };

void gpu_look(struct gpu *ret);
/* Of the first card in a listing of `nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits`. */
void gpu_read_listing(const char *text, struct gpu *ret);

#endif
