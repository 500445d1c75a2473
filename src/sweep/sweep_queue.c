/* sweep_queue.c: which cases are still to run, and what came of the others. */
#include "sweep/sweep_internal.h"

#include <stdio.h>

dfl_status dfl_sweep_count(dfl_sweep *sweep)
{
    dfl_context *ctx = sweep->ctx;
    const dfl_case_layout *layout = &sweep->cases->layout;
    sweep->total = layout->cases;
    sweep->there = dfl_alloc(ctx, (size_t)layout->cases, sizeof *sweep->there);
    double *numbers = dfl_alloc(ctx, dfl_case_numbers(layout), sizeof *numbers);
    const dfl_status status = sweep->there && numbers ? DFL_OK : DFL_NO_MEMORY;
    for (long i = 0; !status && sweep->resumed && i < layout->cases; i++) {
        char message[DFL_CASE_MESSAGE];
        const dfl_case_state state = dfl_case_file_get(sweep->file, i, numbers, message);
        sweep->there[i] = state != DFL_CASE_MISSING;
        if (sweep->there[i])
            dfl_sweep_count_case(sweep, i, state, message);
    }
    sweep->before = sweep->done;
    dfl_free(ctx, numbers);
    return status;
}

/* One more, whose message is kept if it is the first by number. */
static void count(long *all, long *first, char *kept, long number, const char *message)
{
    if (*all == 0 || number < *first) {
        *first = number;
        snprintf(kept, DFL_CASE_MESSAGE, "%s", message);
    }
    (*all)++;
}

void dfl_sweep_count_case(dfl_sweep *sweep, long number, dfl_case_state state, const char *message)
{
    sweep->done++;
    if (state == DFL_CASE_FAILED)
        count(&sweep->failed, &sweep->first_failed, sweep->first_message, number, message);
    else if (message[0])
        count(&sweep->doubtful, &sweep->first_doubtful, sweep->first_doubt, number, message);
}

bool dfl_sweep_next(long *number, double *values, void *user)
{
    return dfl_sweep_take(number, values, user, 0);
}

bool dfl_sweep_take(long *number, double *values, dfl_sweep *sweep, int process)
{
    pthread_mutex_lock(&sweep->lock);
    while (sweep->next < sweep->total && sweep->there[sweep->next])
        sweep->next++;
    *number = sweep->next;
    const bool found = sweep->next < sweep->total;
    if (found)
        sweep->there[sweep->next++] = (uint16_t)(1 + process);
    pthread_mutex_unlock(&sweep->lock);
    return found && dfl_case_file_parameters(values, sweep->file, *number);
}

bool dfl_sweep_done(const dfl_case *it, void *user)
{
    dfl_sweep *sweep = user;
    if (!dfl_case_file_put(sweep->file, it->number, it->state, it->numbers, it->message))
        return false;
    pthread_mutex_lock(&sweep->lock);
    dfl_sweep_count_case(sweep, it->number, it->state, it->message);
    pthread_mutex_unlock(&sweep->lock);
    return true;
}
