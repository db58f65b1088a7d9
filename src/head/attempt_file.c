#include "attempt_file.h"

#include <string.h>

#include "hydra/codec/json.h"
#include "hydra/os/file.h"

#define FILE_MAX 4096

struct attempt_facts {
    char experience[HC_NAME_SIZE], attempt_id[HC_ID_SIZE], stream_id[HC_ID_SIZE], claim_stream_id[HC_ID_SIZE], lease_id[HC_ID_SIZE],
        claim_token[HEAD_TOKEN_SIZE];
};
#define ROW(key_, type_, member_, limit_, flags_) \
    { .key = key_, .type = type_, .offset = offsetof(struct attempt_facts, member_), .limit = limit_, .flags = flags_ }
static const struct codec_field rows[] = {
    ROW("experience", CODEC_NAME, experience, 0, CODEC_REQUIRED), ROW("attempt_id", CODEC_ID, attempt_id, 0, CODEC_EMPTY_OK),
    ROW("stream_id", CODEC_ID, stream_id, 0, CODEC_EMPTY_OK), ROW("claim_stream_id", CODEC_ID, claim_stream_id, 0, CODEC_EMPTY_OK),
    ROW("lease_id", CODEC_ID, lease_id, 0, CODEC_EMPTY_OK),
    ROW("claim_token", CODEC_STR, claim_token, HEAD_TOKEN_SIZE - 1, 0),
};
static const struct codec_table table = CODEC_TABLE("attempt", rows, struct attempt_facts, CODEC_NO_PRESENT);

static void wipe(void *bytes, size_t len)
{
    explicit_bzero(bytes, len);
}

enum hc_err attempt_save(int dir_fd, const struct head_state *head, struct hc_diag *diag)
{
    if (head->attempt_id[0] == '\0' && !head->has_lease)
        return os_file_remove(dir_fd, ATTEMPT_FILE, diag);
    struct attempt_facts facts = { 0 };
    HC_SET(facts.experience, head->experience);
    HC_SET(facts.attempt_id, head->attempt_id);
    HC_SET(facts.stream_id, head->stream_id);
    HC_SET(facts.claim_stream_id, head->claim_stream_id);
    HC_SET(facts.lease_id, head->lease.id);
    HC_SET(facts.claim_token, head->lease.claim_token);
    struct hc_buf text = { 0 };
    json_write(&table, &facts, &text);
    wipe(&facts, sizeof facts);
    enum hc_err err = text.failed ? HC_ERR_NOMEM : HC_OK;
    if (err == HC_OK && os_file_replace(dir_fd, ATTEMPT_FILE, text.data, text.len, NULL, diag) == OS_REPLACE_NOT_WRITTEN)
        err = HC_ERR_IO;
    if (text.data != NULL)
        wipe(text.data, text.len);
    hc_buf_free(&text);
    return err;
}

enum hc_err attempt_load(int dir_fd, struct head_state *head, struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    struct hc_diag why = { "" };
    enum hc_err err = os_file_read(dir_fd, ATTEMPT_FILE, FILE_MAX, &text, &len, NULL, &why);
    if (err == HC_ERR_NOTFOUND)
        return HC_OK;                       /* a head that holds nothing has no such file: nothing to say */
    if (err != HC_OK)
        return hc_fail(diag, err == HC_ERR_LIMIT ? HC_OK : err, "%s", why.text);
    struct attempt_facts facts;
    struct json_refusal refusal;
    struct hc_arena arena = { 0 };
    if (json_read(&table, text, len, false, &arena, &facts, &refusal) == HC_OK) {
        struct head_lease lease = { 0 };
        HC_SET(lease.id, facts.lease_id);
        HC_SET(lease.claim_token, facts.claim_token);
        head_restore(head, facts.experience, facts.attempt_id, facts.stream_id, &lease);
        HC_SET(head->claim_stream_id, facts.claim_stream_id);
        wipe(&lease, sizeof lease);
    } else {
        (void)hc_fail(diag, HC_OK, "%s is not what a head writes (%s: %s): it is left out", ATTEMPT_FILE, refusal.field, refusal.detail);
    }
    wipe(&facts, sizeof facts);
    wipe(text, len);
    hc_free(text);
    hc_arena_free(&arena);
    return HC_OK;
}
