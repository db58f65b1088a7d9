#include "due.h"

#include <assert.h>

#include "hydra/base/arena.h"

#define NOWHERE SIZE_MAX

struct due { size_t numbers, count, *heap, *place; int64_t *at_ms; };

enum hc_err due_new(size_t numbers, struct due **ret_due)
{
    struct due *due = hc_alloc(sizeof *due);
    if (due == NULL)
        return HC_ERR_NOMEM;
    due->numbers = numbers;
    due->heap = hc_alloc((numbers + 1) * sizeof due->heap[0]);
    due->place = hc_alloc((numbers + 1) * sizeof due->place[0]);
    due->at_ms = hc_alloc((numbers + 1) * sizeof due->at_ms[0]);
    if (due->heap == NULL || due->place == NULL || due->at_ms == NULL) {
        (void)due_free(due);
        return HC_ERR_NOMEM;
    }
    for (size_t i = 0; i < numbers; i++)
        due->place[i] = NOWHERE;
    *ret_due = due;
    return HC_OK;
}

struct due *due_free(struct due *due)
{
    if (due == NULL)
        return NULL;
    hc_free(due->heap);
    hc_free(due->place);
    hc_free(due->at_ms);
    hc_free(due);
    return NULL;
}

/* Ties go by number, so that a run is the same each time. */
static bool earlier(const struct due *due, size_t a, size_t b)
{
    return due->at_ms[a] != due->at_ms[b] ? due->at_ms[a] < due->at_ms[b] : a < b;
}

static void put(struct due *due, size_t place, size_t number)
{
    due->heap[place] = number;
    due->place[number] = place;
}

static void settle(struct due *due, size_t place)
{
    size_t number = due->heap[place];
    for (; place > 0 && earlier(due, number, due->heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(due, place, due->heap[(place - 1) / 2]);
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= due->count)
            break;
        if (child + 1 < due->count && earlier(due, due->heap[child + 1], due->heap[child]))
            child++;
        if (!earlier(due, due->heap[child], number))
            break;
        put(due, place, due->heap[child]);
        place = child;
    }
    put(due, place, number);
}

static void take_out(struct due *due, size_t number)
{
    size_t place = due->place[number];
    due->place[number] = NOWHERE;
    size_t last = due->heap[--due->count];
    if (last == number)
        return;
    put(due, place, last);
    settle(due, place);
}

void due_set(struct due *due, size_t number, int64_t at_ms)
{
    assert(number < due->numbers);
    bool there = due->place[number] != NOWHERE;
    if (at_ms == 0) {
        if (there)
            take_out(due, number);
        return;
    }
    due->at_ms[number] = at_ms;
    if (!there)
        put(due, due->count++, number);
    settle(due, due->place[number]);
}

int64_t due_next(const struct due *due)
{
    return due->count == 0 ? 0 : due->at_ms[due->heap[0]];
}

bool due_take(struct due *due, int64_t now_ms, size_t *ret_number)
{
    if (due->count == 0 || due->at_ms[due->heap[0]] > now_ms)
        return false;
    *ret_number = due->heap[0];
    take_out(due, due->heap[0]);
    return true;
}
