/* sweep_identity.c: whether processes that share a study would compute the same: with one version,
   from one model, with the same settings, to the same results. */
#include "sweep/sweep_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct identity {
    char version[32], model[32], rest[32];
} identity;
_Static_assert(sizeof(identity) == DFL_SWEEP_IDENTITY, "its bytes");

/* FNV-1a, with the byte 0 that ends a text. */
static uint64_t add(uint64_t sum, const char *text)
{
    do
        sum = (sum ^ (unsigned char)*text) * 0x100000001b3ULL;
    while (*text++);
    return sum;
}

/* Lists but how the cases were made: a job has its values. */
static uint64_t rest_of(const dfl_cases *cases)
{
    const dfl_case_layout *layout = &cases->layout;
    uint64_t sum = 0xcbf29ce484222325ULL;
    char limits[80];
    for (int i = 0; i < DFL_CASE_LISTS; i++) {
        for (int k = 0; i != DFL_CASE_DESIGN && k < layout->list[i].count; k++)
            sum = add(sum, layout->list[i].text[k]);
        sum = add(sum, "");
    }
    snprintf(limits, sizeof limits, "%.17g %.17g %ld", cases->options.seconds,
             cases->options.megabytes, layout->rows);
    return add(sum, limits);
}

void dfl_sweep_identity(char out[DFL_SWEEP_IDENTITY], const dfl_sweep *sweep)
{
    identity it = {.version = DFL_VERSION};
    snprintf(it.model, sizeof it.model, "%s", sweep->cases->hash);
    snprintf(it.rest, sizeof it.rest, "%016" PRIx64, rest_of(sweep->cases));
    memcpy(out, &it, sizeof it);
}

dfl_status dfl_sweep_check_identity(dfl_sweep *sweep, int process, const void *other, size_t count)
{
    identity mine, its = {.version = "?"};
    dfl_sweep_identity((char *)&mine, sweep);
    if (count == sizeof its)
        memcpy(&its, other, sizeof its);
    its.version[sizeof its.version - 1] = 0;
    const char *reason = strcmp(mine.version, its.version) != 0 ? "is another version of Driftless"
                         : memcmp(mine.model, its.model, sizeof mine.model) != 0
                             ? "has another model in that place, or other files that it reads"
                         : memcmp(mine.rest, its.rest, sizeof mine.rest) != 0
                             ? "has other settings, values or columns"
                             : NULL;
    return reason ? dfl_fail(sweep->ctx, DFL_INVALID,
                             "'%s': process %d %s; results of it would be others",
                             sweep->model->path, process, reason)
                  : DFL_OK;
}
