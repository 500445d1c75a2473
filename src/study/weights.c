/* weights.c: weights of squares by name, "NAME=VALUE,...", for feedback. */
#include "study/study_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef dfl_status (*weight_fn)(const dfl_weights *out, const dfl_linear_model *model,
                                dfl_runnable *run, const char *name, double value);

static dfl_status read_weights(const dfl_weights *out, const dfl_linear_model *model,
                               dfl_runnable *run, const char *option, const char *list,
                               weight_fn add);
static dfl_status add_state(const dfl_weights *out, const dfl_linear_model *model,
                            dfl_runnable *run, const char *name, double value);
static dfl_status add_input(const dfl_weights *out, const dfl_linear_model *model,
                            dfl_runnable *run, const char *name, double value);

dfl_status dfl_study_weights(const dfl_weights *out, const dfl_linear_model *model,
                             dfl_runnable *run, const char *states, const char *inputs)
{
    const size_t ny = (size_t)model->linear.ny, nu = (size_t)model->linear.nu;
    memset(out->Q, 0, ny * ny * sizeof *out->Q);
    memset(out->N, 0, ny * nu * sizeof *out->N);
    memset(out->R, 0, nu * nu * sizeof *out->R);
    for (size_t i = 0; i < nu; i++)
        out->R[i * nu + i] = 1;
    if (!states)
        return dfl_fail(ctx_of(run), DFL_INVALID,
                        "give weights of variables: --state-weight NAME=Q,...");
    const dfl_status status =
        inputs ? read_weights(out, model, run, "--input-weight", inputs, add_input) : DFL_OK;
    return status ? status : read_weights(out, model, run, "--state-weight", states, add_state);
}

static dfl_status read_weights(const dfl_weights *out, const dfl_linear_model *model,
                               dfl_runnable *run, const char *option, const char *list,
                               weight_fn add)
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
            status = add(out, model, run, items.name[i], value);
    }
    dfl_name_list_clear(&items, ctx_of(run));
    return status;
}

/* M += value a^T b; rows of a and b are `distance` apart. */
static void add_product(double *M, const double *a, int rows, const double *b, int columns,
                        size_t distance, double value)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            M[j * rows + i] += value * a[(size_t)i * distance] * b[(size_t)j * distance];
}

/* value (c y + d u)^2, c and d being how the variable or output changes with the states and inputs.
 */
static dfl_status add_state(const dfl_weights *out, const dfl_linear_model *model,
                            dfl_runnable *run, const char *name, double value)
{
    const dfl_linearized *linear = &model->linear;
    const int ny = linear->ny, nu = linear->nu, k = dfl_equations_find(eq_of(run), name);
    int output = -1;
    for (int i = 0; i < model->no; i++)
        if (!strcmp(model->outputs[i], name))
            output = i;
    if (k < 0 && output < 0)
        return dfl_study_unknown_name(run, "--state-weight", name);
    const size_t distance = (size_t)(k >= 0 ? linear->n : model->no);
    const double *c = k >= 0 ? linear->X + k : model->C + output;
    const double *d = k >= 0 ? c + (size_t)ny * distance : model->D + output;
    add_product(out->Q, c, ny, c, ny, distance, value);
    add_product(out->N, c, ny, d, nu, distance, value);
    add_product(out->R, d, nu, d, nu, distance, value);
    return DFL_OK;
}

static dfl_status add_input(const dfl_weights *out, const dfl_linear_model *model,
                            dfl_runnable *run, const char *name, double value)
{
    const int nu = model->linear.nu;
    for (int i = 0; i < nu; i++)
        if (!strcmp(model->inputs[i], name)) {
            out->R[i * nu + i] = value;
            return value > 0 ? DFL_OK
                             : dfl_fail(ctx_of(run), DFL_INVALID,
                                        "--input-weight %s=%g: it must be positive", name, value);
        }
    return dfl_fail(ctx_of(run), DFL_INVALID, "--input-weight: there is no input '%s'", name);
}
