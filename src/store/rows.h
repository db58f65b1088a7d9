/* rows.h - short names for rows of field tables over the structs of core/records.h.
 *
 * What comes from peers (client ids, launch ids, attempt ids) is read as text within its limit, not as an id: the edge has judged it once,
 * and a file that we wrote must load. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <stddef.h>

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

#define OMIT CODEC_OMIT_EMPTY
#define ROW(T, key_, type_, member_, limit_, flags_) \
    { .key = key_, .type = type_, .offset = offsetof(T, member_), .limit = limit_, .flags = flags_ }
#define ROW_STR(T, key, member, flags)   ROW(T, key, CODEC_STR, member, sizeof(((T *)0)->member) - 1, flags)
#define ROW_ID(T, key, member, flags)    ROW(T, key, CODEC_ID, member, HC_ID_MAX, flags)
#define ROW_NAME(T, key, member, flags)  ROW(T, key, CODEC_NAME, member, HC_NAME_MAX, flags)
#define ROW_BOOL(T, key, member, flags)  ROW(T, key, CODEC_BOOL, member, 0, flags)
#define ROW_TIME(T, key, member, flags)  ROW(T, key, CODEC_TIME, member, 0, flags)
#define ROW_U32(T, key, member, limit)   ROW(T, key, CODEC_U32, member, limit, 0)
#define ROW_EPOCH(T, key, member, flags) ROW(T, key, CODEC_U64, member, HC_EPOCH_MAX, flags)
#define ROW_WORD(T, key_, member_, words_, flags_) \
    { .key = key_, .type = CODEC_WORD, .offset = offsetof(T, member_), .flags = flags_, .words = &words_ }
#define ROW_LIST(T, key_, member_, limit_, sub_, flags_) \
    { .key = key_, .type = CODEC_LIST, .offset = offsetof(T, member_), .limit = limit_, .flags = flags_, .sub = &sub_ }
#define ROW_STRS(T, key_, member_, limit_, flags_) \
    { .key = key_, .type = CODEC_STRS, .offset = offsetof(T, member_), .limit = limit_, .flags = flags_, .item_limit = HC_NAME_MAX }
/* A map of some members of T itself, there when `there_` says so. */
#define ROW_PART(T, key_, sub_, there_) \
    { .key = key_, .type = CODEC_OBJECT, .offset = 0, .flags = OMIT | CODEC_NULLABLE_OBJECT, .sub = &sub_, \
      .null_flag = offsetof(T, there_) }

#endif
