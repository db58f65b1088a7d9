#include <assert.h>

#include "engine_state.h"

void op_push(struct op_list *list, struct engine_op *op)
{
    op->next = NULL;
    op->prev = list->tail;
    if (list->tail == NULL)
        list->head = op;
    else
        list->tail->next = op;
    list->tail = op;
}

void op_remove(struct op_list *list, struct engine_op *op)
{
    if (op->prev == NULL) {
        assert(list->head == op);
        list->head = op->next;
    } else {
        op->prev->next = op->next;
    }
    if (op->next == NULL) {
        assert(list->tail == op);
        list->tail = op->prev;
    } else {
        op->next->prev = op->prev;
    }
    op->next = op->prev = NULL;
}

struct engine_op *op_pop(struct op_list *list)
{
    struct engine_op *op = list->head;
    if (op != NULL)
        op_remove(list, op);
    return op;
}
