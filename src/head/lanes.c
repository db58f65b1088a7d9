#include "lanes.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/os/worker.h"

struct queue { struct job *first, **last; };
struct lane { struct lanes *all; struct os_worker worker; pthread_cond_t work; struct queue waiting; struct job *running; };
struct lanes {
    pthread_mutex_t mutex;
    struct lane lane[LANES_MAX];
    unsigned count;
    struct queue done;
    bool closing;
    int done_fd;
};

static void queue_init(struct queue *queue)
{
    queue->first = NULL;
    queue->last = &queue->first;
}

static void queue_put(struct queue *queue, struct job *job)
{
    job->next = NULL;
    *queue->last = job;
    queue->last = &job->next;
}

static struct job *queue_take(struct queue *queue)
{
    struct job *job = queue->first;
    if (job != NULL) {
        queue->first = job->next;
        if (queue->first == NULL)
            queue->last = &queue->first;
    }
    return job;
}

static void wake_loop(const struct lanes *lanes)
{
    uint64_t one = 1;
    ssize_t n = write(lanes->done_fd, &one, sizeof one);
    (void)n;                                /* a full counter is a wake that stands already */
}

static void lane_main(void *arg)
{
    struct lane *lane = arg;
    struct lanes *all = lane->all;
    (void)pthread_mutex_lock(&all->mutex);
    for (;;) {
        lane->running = queue_take(&lane->waiting);
        if (lane->running == NULL && all->closing)
            break;
        if (lane->running == NULL) {
            (void)pthread_cond_wait(&lane->work, &all->mutex);
            continue;
        }
        struct job *job = lane->running;
        (void)pthread_mutex_unlock(&all->mutex);
        job->run(job);
        (void)pthread_mutex_lock(&all->mutex);
        lane->running = NULL;
        queue_put(&all->done, job);
        wake_loop(all);
    }
    (void)pthread_mutex_unlock(&all->mutex);
}

enum hc_err lanes_open(unsigned count, struct lanes **ret_lanes, struct hc_diag *diag)
{
    assert(count <= LANES_MAX);
    struct lanes *lanes = hc_alloc(sizeof *lanes);
    if (lanes == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    queue_init(&lanes->done);
    (void)pthread_mutex_init(&lanes->mutex, NULL);
    lanes->done_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    bool ok = lanes->done_fd >= 0;
    for (unsigned i = 0; i < count && ok; i++) {
        struct lane *lane = &lanes->lane[i];
        lane->all = lanes;
        queue_init(&lane->waiting);
        (void)pthread_cond_init(&lane->work, NULL);
        lanes->count++;
        ok = os_worker_start(&lane->worker, lane_main, lane) == HC_OK;
    }
    if (!ok) {
        (void)lanes_close(lanes, HC_SECOND_MS);
        return hc_fail(diag, HC_ERR_NOMEM, "no threads or descriptors to start with");
    }
    *ret_lanes = lanes;
    return HC_OK;
}

int lanes_fd(const struct lanes *lanes) { return lanes->done_fd; }

void lanes_put(struct lanes *lanes, unsigned lane, struct job *job)
{
    assert(lane < lanes->count);
    (void)pthread_mutex_lock(&lanes->mutex);
    queue_put(&lanes->lane[lane].waiting, job);
    (void)pthread_cond_signal(&lanes->lane[lane].work);
    (void)pthread_mutex_unlock(&lanes->mutex);
}

struct job *lanes_done(struct lanes *lanes)
{
    uint64_t count;
    ssize_t n = read(lanes->done_fd, &count, sizeof count);     /* before the look: what comes after it wakes us again */
    (void)n;
    (void)pthread_mutex_lock(&lanes->mutex);
    struct job *job = queue_take(&lanes->done);
    bool more = lanes->done.first != NULL;
    (void)pthread_mutex_unlock(&lanes->mutex);
    if (more)
        wake_loop(lanes);
    return job;
}

static void stop_lane(struct lane *lane)
{
    if (lane->running != NULL)
        atomic_store(&lane->running->stop, true);
    for (struct job *job = lane->waiting.first; job != NULL; job = job->next)
        atomic_store(&job->stop, true);
}

void lanes_stop_jobs(struct lanes *lanes, unsigned lane)
{
    (void)pthread_mutex_lock(&lanes->mutex);
    stop_lane(&lanes->lane[lane]);
    (void)pthread_mutex_unlock(&lanes->mutex);
}

bool lanes_close(struct lanes *lanes, int64_t most_ms)
{
    int64_t by_ms = os_monotonic_ms() + most_ms;
    bool over = true;
    (void)pthread_mutex_lock(&lanes->mutex);
    lanes->closing = true;
    for (unsigned i = 0; i < lanes->count; i++) {
        stop_lane(&lanes->lane[i]);
        (void)pthread_cond_signal(&lanes->lane[i].work);
    }
    (void)pthread_mutex_unlock(&lanes->mutex);
    for (unsigned i = 0; i < lanes->count; i++) {
        int64_t left_ms = by_ms - os_monotonic_ms();
        over = os_worker_end(&lanes->lane[i].worker, left_ms < 0 ? 0 : left_ms) && over;
    }
    if (!over)
        return false;
    for (struct job *job; (job = queue_take(&lanes->done)) != NULL;)
        job->free(job);
    for (unsigned i = 0; i < lanes->count; i++)
        (void)pthread_cond_destroy(&lanes->lane[i].work);
    (void)pthread_mutex_destroy(&lanes->mutex);
    os_close(&lanes->done_fd);
    hc_free(lanes);
    return true;
}
