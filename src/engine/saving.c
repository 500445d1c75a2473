/* saving.c: what a run of a model remembers besides the unknowns, as numbers. */
#include "engine/engine_internal.h"

#include <string.h>

/* Parameters, inputs, levels, discrete variables, branches. */
typedef struct memory {
    double *part[5];
    size_t count[5];
} memory;

static memory memory_of(const dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    return (memory){.part = {run->param, run->input, run->level, run->branching.discrete,
                             run->branching.branch},
                    .count = {(size_t)model->count[DFL_A_PARAM], (size_t)model->count[DFL_AN_INPUT],
                              (size_t)model->count[DFL_AN_INVARIANT],
                              (size_t)model->actions.discretes.count,
                              (size_t)run->switches.nitems}};
}

size_t dfl_runnable_saved_size(const dfl_runnable *run)
{
    const memory m = memory_of(run);
    return (m.count[0] + m.count[1] + m.count[2] + m.count[3] + m.count[4]) * sizeof(double);
}

void dfl_runnable_save(void *bytes, const dfl_runnable *run)
{
    const memory m = memory_of(run);
    unsigned char *to = bytes;
    for (int i = 0; i < 5; i++) {
        memcpy(to, m.part[i], m.count[i] * sizeof(double));
        to += m.count[i] * sizeof(double);
    }
}

dfl_status dfl_runnable_restore(dfl_runnable *run, const void *bytes)
{
    static const dfl_declared kind[] = {DFL_A_PARAM, DFL_AN_INPUT};
    const memory m = memory_of(run);
    const unsigned char *from = bytes;
    dfl_status status = DFL_OK;
    for (int i = 0; i < 5; i++) {
        for (size_t k = 0; !status && i < 2 && k < m.count[i]; k++) {
            double value; /* a tree of bodies may have to be built anew */
            memcpy(&value, from + k * sizeof value, sizeof value);
            if (value != m.part[i][k])
                status = dfl_runnable_set(run, kind[i], (int)k, value);
        }
        if (i >= 2)
            memcpy(m.part[i], from, m.count[i] * sizeof(double));
        from += m.count[i] * sizeof(double);
    }
    dfl_runnable_prepare(run);
    dfl_branching_mask(&run->branching);
    return status;
}
