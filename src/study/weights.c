/* weights.c: weights of squares by name, "NAME=VALUE,...", for feedback. */
#include "study/study_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef dfl_status (*weight_fn)(double *matrix, const dfl_linear_model *model, dfl_runnable *run,
                                const char *name, double value);

static dfl_status read_weights(double *matrix, const dfl_linear_model *model, dfl_runnable *run,
                               const char *option, const char *list, weight_fn add);
static dfl_status add_state(double *Q, const dfl_linear_model *model, dfl_runnable *run,
                            const char *name, double value);
static dfl_status add_input(double *R, const dfl_linear_model *model, dfl_runnable *run,
                            const char *name, double value);

dfl_status dfl_study_weights(double *Q, double *R, const dfl_linear_model *model, dfl_runnable *run,
                             const char *states, const char *inputs)
{
    const int nu = model->linear.nu;
    memset(Q, 0, (size_t)model->linear.ny * (size_t)model->linear.ny * sizeof *Q);
    memset(R, 0, (size_t)nu * (size_t)nu * sizeof *R);
    for (int i = 0; i < nu; i++)
        R[i * nu + i] = 1;
    if (!states)
        return dfl_fail(ctx_of(run), DFL_INVALID,
                        "give weights of variables: --state-weight NAME=Q,...");
    const dfl_status status = read_weights(Q, model, run, "--state-weight", states, add_state);
    return status || !inputs ? status
                             : read_weights(R, model, run, "--input-weight", inputs, add_input);
}

static dfl_status read_weights(double *matrix, const dfl_linear_model *model, dfl_runnable *run,
                               const char *option, const char *list, weight_fn add)
{
    dfl_name_list items;
    dfl_status status = dfl_name_list_split(&items, ctx_of(run), list);
    for (int i = 0; !status && i < items.count; i++) {
        char *equal = strrchr(items.text + (items.name[i] - items.text), '='), *end = NULL;
        const double value = equal ? strtod(equal + 1, &end) : NAN;
        if (!equal || end == equal + 1 || *end || !(value >= 0) || !isfinite(value))
            status = dfl_fail(ctx_of(run), DFL_INVALID,
                              "%s %s: give NAME=WEIGHT with a weight of at least 0", option,
                              items.name[i]);
        if (!status) {
            *equal = 0;
            for (int k = 0; !status && k < i; k++) /* those before have lost their weights */
                if (!strcmp(items.name[k], items.name[i]))
                    status = dfl_fail(ctx_of(run), DFL_INVALID, "%s: %s is given twice", option,
                                      items.name[i]);
        }
        if (!status)
            status = add(matrix, model, run, items.name[i], value);
    }
    dfl_name_list_clear(&items, ctx_of(run));
    return status;
}

/* Q += value c^T c, c being how the variable or output changes with the states. */
static dfl_status add_state(double *Q, const dfl_linear_model *model, dfl_runnable *run,
                            const char *name, double value)
{
    const dfl_linearized *linear = &model->linear;
    const int ny = linear->ny, k = dfl_equations_find(eq_of(run), name);
    int output = -1;
    for (int i = 0; i < model->no; i++)
        if (!strcmp(model->outputs[i], name))
            output = i;
    if (k < 0 && output < 0)
        return dfl_study_unknown_name(run, "--state-weight", name);
    const double *c = k >= 0 ? linear->X + k : model->C + output;
    const size_t distance = (size_t)(k >= 0 ? linear->n : model->no);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < ny; i++)
            Q[j * ny + i] += value * c[(size_t)i * distance] * c[(size_t)j * distance];
    return DFL_OK;
}

static dfl_status add_input(double *R, const dfl_linear_model *model, dfl_runnable *run,
                            const char *name, double value)
{
    const int nu = model->linear.nu;
    for (int i = 0; i < nu; i++)
        if (!strcmp(model->inputs[i], name)) {
            R[i * nu + i] = value;
            return value > 0 ? DFL_OK
                             : dfl_fail(ctx_of(run), DFL_INVALID,
                                        "--input-weight %s=%g: it must be positive", name, value);
        }
    return dfl_fail(ctx_of(run), DFL_INVALID, "--input-weight: there is no input '%s'", name);
}
