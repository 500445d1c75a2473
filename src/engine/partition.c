/* partition.c: the independent coordinates of the form `partition`, by name. */
#include "engine/engine_internal.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 120 };

static dfl_status mark(dfl_runnable *run, const char *name);

dfl_status dfl_runnable_independent(const bool **out, dfl_runnable *run, const char *names)
{
    dfl_status status = DFL_OK;
    *out = NULL;
    dfl_free(run->ctx, run->independent);
    run->independent = dfl_alloc(run->ctx, (size_t)run->eq->n, sizeof *run->independent);
    if (!run->independent)
        return DFL_NO_MEMORY;
    for (const char *from = names; !status && from; from = strchr(from, ',')) {
        char name[LONGEST_NAME];
        from += *from == ',';
        snprintf(name, sizeof name, "%.*s", (int)strcspn(from, ","), from);
        status = mark(run, name);
    }
    if (!status)
        *out = run->independent;
    return status;
}

static dfl_status mark(dfl_runnable *run, const char *name)
{
    const dfl_equations *eq = run->eq;
    const dfl_layout at = dfl_eom_layout(&run->eom);
    char velocity[LONGEST_NAME + 8];
    const int place = dfl_equations_find(eq, name);
    if (place < at.v || (place >= at.s && place < at.p))
        return dfl_fail(run->ctx, DFL_INVALID,
                        "independent: there is no position or velocity '%s'; name them with commas "
                        "between, such as x,y",
                        name);
    snprintf(velocity, sizeof velocity, "der(%s)", name);
    const int rate = place >= at.p ? dfl_equations_find(eq, velocity) : -1;
    run->independent[place] = true;
    if (rate >= at.v && rate < at.s)
        run->independent[rate] = true;
    return DFL_OK;
}
