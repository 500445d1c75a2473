/* sweep_jobs.c: cases for other processes: jobs (a number and values) and results (number, state,
   message, numbers) as bytes. */
#include "sweep/sweep_internal.h"

#include <errno.h>
#include <string.h>

/* In front of the numbers of a result. */
typedef struct result_head {
    long number;
    int state;
    char message[DFL_CASE_MESSAGE];
} result_head;

static void *place(char *bytes, size_t size, int number)
{
    return bytes + size * (size_t)number;
}

static bool was_handed_out(dfl_sweep *sweep, long number);
static dfl_status make_room(char **bytes, int *room, dfl_context *ctx, size_t size, int used,
                            int count);

size_t dfl_sweep_job_size(const dfl_sweep *sweep)
{
    return sizeof(long) + (size_t)dfl_design_parameters(sweep->design) * sizeof(double);
}

size_t dfl_sweep_result_size(const dfl_sweep *sweep)
{
    return sizeof(result_head) + dfl_case_numbers(&sweep->cases->layout) * sizeof(double);
}

/* ------------------------------------------------------------------------------- who has the file
 */

int dfl_sweep_hand_out(void *jobs, dfl_sweep *sweep, int most, int process)
{
    const size_t size = dfl_sweep_job_size(sweep);
    int count = 0;
    if (process < 1 || process >= UINT16_MAX)
        return 0;
    for (; count < most; count++) {
        char *job = place(jobs, size, count);
        long number;
        if (!dfl_sweep_take(&number, (double *)(void *)(job + sizeof number), sweep, process))
            break;
        memcpy(job, &number, sizeof number);
    }
    return count;
}

dfl_status dfl_sweep_store(dfl_sweep *sweep, const void *results, int count)
{
    const size_t size = dfl_sweep_result_size(sweep);
    for (int i = 0; i < count; i++) {
        const char *from = (const char *)results + size * (size_t)i;
        result_head head;
        memcpy(&head, from, sizeof head);
        head.message[DFL_CASE_MESSAGE - 1] = 0;
        if (!was_handed_out(sweep, head.number) || head.state <= DFL_CASE_MISSING ||
            head.state >= DFL_CASE_STATES)
            return dfl_fail(sweep->ctx, DFL_INVALID, "a result is not one of this study");
        const double *numbers = (const double *)(const void *)(from + sizeof head);
        const dfl_case_state state = (dfl_case_state)head.state;
        if (!dfl_case_file_put(sweep->file, head.number, state, numbers, head.message))
            return dfl_fail(sweep->ctx, DFL_IO, "'%s' cannot be written: %s", sweep->path,
                            strerror(errno));
        pthread_mutex_lock(&sweep->lock);
        sweep->there[head.number] = 1;
        dfl_sweep_count_case(sweep, head.number, state, head.message);
        pthread_mutex_unlock(&sweep->lock);
    }
    return DFL_OK;
}

static bool was_handed_out(dfl_sweep *sweep, long number)
{
    if (number < 0 || number >= sweep->total)
        return false;
    pthread_mutex_lock(&sweep->lock);
    const bool was = sweep->there[number] > 1;
    pthread_mutex_unlock(&sweep->lock);
    return was;
}

long dfl_sweep_take_back(dfl_sweep *sweep, int process)
{
    long count = 0;
    pthread_mutex_lock(&sweep->lock);
    for (long i = sweep->total - 1; process > 0 && i >= 0; i--)
        if (sweep->there[i] == 1 + process) {
            sweep->there[i] = 0;
            count++;
            if (i < sweep->next)
                sweep->next = i;
        }
    pthread_mutex_unlock(&sweep->lock);
    return count;
}

/* ------------------------------------------------------------------------------- the others */

dfl_status dfl_sweep_add_jobs(dfl_sweep *sweep, const void *jobs, int count)
{
    const size_t size = dfl_sweep_job_size(sweep);
    pthread_mutex_lock(&sweep->lock);
    const dfl_status status =
        make_room(&sweep->jobs, &sweep->job_room, sweep->ctx, size, sweep->njobs, count);
    if (!status) {
        if (count > 0) /* before the first jobs there is no memory */
            memcpy(place(sweep->jobs, size, sweep->njobs), jobs, size * (size_t)count);
        sweep->njobs += count;
        sweep->last_jobs = count == 0;
        pthread_cond_broadcast(&sweep->more);
    }
    pthread_mutex_unlock(&sweep->lock);
    return status;
}

static dfl_status make_room(char **bytes, int *room, dfl_context *ctx, size_t size, int used,
                            int count)
{
    if (used + count <= *room)
        return DFL_OK;
    char *larger = dfl_alloc(ctx, 2 * (size_t)(used + count), size);
    if (!larger)
        return DFL_NO_MEMORY;
    if (*bytes)
        memcpy(larger, *bytes, size * (size_t)used);
    dfl_free(ctx, *bytes);
    *bytes = larger;
    *room = 2 * (used + count);
    return DFL_OK;
}

/* Waits for a job, or for the end of all jobs. */
bool dfl_sweep_next_job(long *number, double *values, void *user)
{
    dfl_sweep *sweep = user;
    const size_t size = dfl_sweep_job_size(sweep);
    pthread_mutex_lock(&sweep->lock);
    while (sweep->njobs == 0 && !sweep->last_jobs)
        pthread_cond_wait(&sweep->more, &sweep->lock);
    const bool found = sweep->njobs > 0;
    if (found) { /* the last one: their order does not matter */
        const char *job = place(sweep->jobs, size, --sweep->njobs);
        memcpy(number, job, sizeof *number);
        memcpy(values, job + sizeof *number, size - sizeof *number);
        sweep->under_way++;
    }
    pthread_mutex_unlock(&sweep->lock);
    return found;
}

bool dfl_sweep_job_done(const dfl_case *it, void *user)
{
    dfl_sweep *sweep = user;
    const size_t size = dfl_sweep_result_size(sweep);
    result_head head = {.number = it->number, .state = (int)it->state};
    memcpy(head.message, it->message, sizeof head.message);
    pthread_mutex_lock(&sweep->lock);
    const bool fits =
        !make_room(&sweep->results, &sweep->result_room, sweep->ctx, size, sweep->nresults, 1);
    if (fits) {
        char *to = place(sweep->results, size, sweep->nresults++);
        memcpy(to, &head, sizeof head);
        memcpy(to + sizeof head, it->numbers, size - sizeof head);
    }
    sweep->under_way--;
    pthread_mutex_unlock(&sweep->lock);
    errno = fits ? 0 : ENOMEM;
    return fits;
}

int dfl_sweep_collect(void *results, dfl_sweep *sweep, int most)
{
    const size_t size = dfl_sweep_result_size(sweep);
    pthread_mutex_lock(&sweep->lock);
    const int count = sweep->nresults < most ? sweep->nresults : most;
    if (count > 0) {
        memcpy(results, sweep->results, size * (size_t)count);
        sweep->nresults -= count;
        memmove(sweep->results, place(sweep->results, size, count), size * (size_t)sweep->nresults);
    }
    pthread_mutex_unlock(&sweep->lock);
    return count;
}

int dfl_sweep_waiting(dfl_sweep *sweep)
{
    pthread_mutex_lock(&sweep->lock);
    const int count = sweep->njobs + sweep->under_way;
    pthread_mutex_unlock(&sweep->lock);
    return count;
}
