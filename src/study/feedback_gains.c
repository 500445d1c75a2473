/* feedback_gains.c: state feedback of a script's model near a state, with weights by name.
   Positions that move along with a steady motion, such as the place of a vehicle, are left out: no
   other state depends on them. */
#include "study/study_internal.h"

#include "linalg/linalg.h"

#include <string.h>

/* The linear equations and weights of the states that are used. */
typedef struct used_states {
    dfl_linear_equations equations;
    dfl_weights weights;
    double *A, *B, *C;
    int *state; /* their numbers among all states */
} used_states;

static dfl_status check_inputs(const dfl_linear_equations *linear, dfl_runnable *run);
static dfl_status create_weights(dfl_weights *out, dfl_context *ctx, size_t ny, size_t nu);
static void clear_weights(dfl_weights *weights, dfl_context *ctx);
static dfl_status leave_moving(bool *left, const dfl_linear_model *model, const dfl_weights *w);
static dfl_status use_states(used_states *out, dfl_context *ctx, const bool *left,
                             const dfl_linear_equations *all, const dfl_weights *w);
static void clear_states(used_states *it, dfl_context *ctx);
static dfl_status find_gains(dfl_feedback *out, const used_states *it);
static dfl_status check_reached(const dfl_feedback *it);
static dfl_status remove_products(double *Z, dfl_context *ctx, const used_states *it);
static void close_loop(double *A, const dfl_linear_equations *linear, const double *K);
static int count_hidden(const double *part, int count);

dfl_status dfl_study_feedback(dfl_feedback *out, const dfl_linear_model *model, dfl_runnable *run,
                              const char *state_weight, const char *input_weight)
{
    const dfl_linear_equations linear = dfl_linear_model_equations(model);
    dfl_context *ctx = ctx_of(run);
    const size_t ny = (size_t)linear.ny, nu = (size_t)linear.nu;
    dfl_weights weights = {0};
    used_states it = {0};
    *out = (dfl_feedback){.ctx = ctx};
    dfl_status status = check_inputs(&linear, run);
    if (!status)
        status = create_weights(&weights, ctx, ny, nu);
    out->K = dfl_alloc(ctx, nu * ny, sizeof *out->K);
    out->left = dfl_alloc(ctx, ny, sizeof *out->left);
    if (!status && (!out->K || !out->left))
        status = DFL_NO_MEMORY;
    if (!status)
        status = dfl_study_weights(&weights, model, run, state_weight, input_weight);
    if (!status)
        status = leave_moving(out->left, model, &weights);
    if (!status)
        status = use_states(&it, ctx, out->left, &linear, &weights);
    if (!status)
        status = find_gains(out, &it);
    clear_states(&it, ctx);
    clear_weights(&weights, ctx);
    return status;
}

void dfl_feedback_clear(dfl_feedback *it)
{
    if (!it->ctx)
        return;
    dfl_free(it->ctx, it->K);
    dfl_free(it->ctx, it->left);
    dfl_free(it->ctx, it->reached);
    dfl_free(it->ctx, it->shown);
    dfl_modes_clear(&it->open);
    dfl_modes_clear(&it->poles);
    *it = (dfl_feedback){0};
}

static dfl_status check_inputs(const dfl_linear_equations *linear, dfl_runnable *run)
{
    return linear->nu > 0
               ? DFL_OK
               : dfl_fail(
                     ctx_of(run), DFL_INVALID,
                     "%s has no input; declare one with input(\"name\", 0) and use it in a force",
                     eq_of(run)->model->path);
}

static dfl_status create_weights(dfl_weights *out, dfl_context *ctx, size_t ny, size_t nu)
{
    out->Q = dfl_alloc(ctx, ny * ny, sizeof *out->Q);
    out->N = dfl_alloc(ctx, ny * nu, sizeof *out->N);
    out->R = dfl_alloc(ctx, nu * nu, sizeof *out->R);
    return out->Q && out->N && out->R ? DFL_OK : DFL_NO_MEMORY;
}

static void clear_weights(dfl_weights *weights, dfl_context *ctx)
{
    dfl_free(ctx, weights->Q);
    dfl_free(ctx, weights->N);
    dfl_free(ctx, weights->R);
}

/* Whether a cyclic position has a weight, or a state that is used depends on it. */
static bool is_needed(int j, const bool *left, const dfl_linearized *linear, const dfl_weights *w)
{
    const size_t ny = (size_t)linear->ny, k = (size_t)j;
    const double rounding = 1e-12;
    bool needed = w->Q[k * ny + k] > rounding * rounding * dfl_max_abs(w->Q, (int)(ny * ny));
    for (size_t i = 0; i < ny; i++)
        needed = needed || (!left[i] && i != k &&
                            fabs(linear->A[k * ny + i]) >
                                rounding * dfl_max_abs_row(linear->A + i, linear->ny, linear->ny));
    return needed;
}

/* Of a steady motion, cyclic positions are left out, unless they rest and are needed: the side of a
   straight lane. */
static dfl_status leave_moving(bool *left, const dfl_linear_model *model, const dfl_weights *w)
{
    const dfl_linearized *linear = &model->linear;
    bool more = linear->kind == DFL_AT_STEADY_MOTION && linear->is_cyclic;
    for (int j = 0; more && j < linear->npositions; j++)
        left[j] = linear->is_cyclic[j];
    while (more) {
        more = false;
        for (int j = 0; j < linear->npositions; j++) {
            if (!left[j] || !is_needed(j, left, linear, w))
                continue;
            if (linear->moves[j])
                return dfl_fail(linear->ctx, DFL_INVALID,
                                "--state-weight: %s changes along the steady motion, and feedback "
                                "cannot hold it; give weights to what is constant there",
                                model->states[j]);
            left[j] = false;
            more = true;
        }
    }
    return DFL_OK;
}

static dfl_status use_states(used_states *out, dfl_context *ctx, const bool *left,
                             const dfl_linear_equations *all, const dfl_weights *w)
{
    const size_t ny = (size_t)all->ny, nu = (size_t)all->nu, no = (size_t)all->no;
    int n = 0;
    out->state = dfl_alloc(ctx, ny, sizeof *out->state);
    for (int i = 0; out->state && i < all->ny; i++)
        if (!left[i])
            out->state[n++] = i;
    const size_t m = (size_t)n;
    out->A = dfl_alloc(ctx, m * m, sizeof *out->A);
    out->B = dfl_alloc(ctx, m * nu, sizeof *out->B);
    out->C = dfl_alloc(ctx, no * m, sizeof *out->C);
    if (create_weights(&out->weights, ctx, m, nu) || !out->state || !out->A || !out->B || !out->C)
        return DFL_NO_MEMORY;
    for (size_t j = 0; j < m; j++) {
        const size_t from = (size_t)out->state[j];
        for (size_t i = 0; i < m; i++) {
            out->A[j * m + i] = all->A[from * ny + (size_t)out->state[i]];
            out->weights.Q[j * m + i] = w->Q[from * ny + (size_t)out->state[i]];
        }
        for (size_t k = 0; k < nu; k++) {
            out->B[k * m + j] = all->B[k * ny + from];
            out->weights.N[k * m + j] = w->N[k * ny + from];
        }
        memcpy(out->C + j * no, all->C + from * no, no * sizeof *out->C);
    }
    memcpy(out->weights.R, w->R, nu * nu * sizeof *w->R);
    out->equations = (dfl_linear_equations){n, all->nu, all->no, out->A, out->B, out->C, all->D};
    return DFL_OK;
}

static void clear_states(used_states *it, dfl_context *ctx)
{
    dfl_free(ctx, it->A);
    dfl_free(ctx, it->B);
    dfl_free(ctx, it->C);
    dfl_free(ctx, it->state);
    clear_weights(&it->weights, ctx);
}

static dfl_status find_gains(dfl_feedback *out, const used_states *it)
{
    dfl_context *ctx = out->ctx;
    const dfl_linear_equations *linear = &it->equations;
    const int n = linear->ny, nu = linear->nu;
    const size_t m = (size_t)n, inputs = (size_t)nu;
    double *K = dfl_alloc(ctx, inputs * m, sizeof *K), *Z = dfl_alloc(ctx, inputs * m, sizeof *Z);
    out->reached = dfl_alloc(ctx, m, sizeof *out->reached);
    out->shown = dfl_alloc(ctx, m, sizeof *out->shown);
    dfl_status status = K && Z && out->reached && out->shown ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_modes_find(&out->open, ctx, n, linear->A);
    if (!status)
        status = dfl_mode_access(out->reached, out->shown, ctx, linear, &out->open);
    if (!status)
        status = check_reached(out);
    if (!status)
        status = remove_products(Z, ctx, it);
    if (!status)
        status = dfl_lqr(K, ctx, linear, it->weights.Q, it->weights.R);
    if (!status) {
        out->unreached = count_hidden(out->reached, n);
        out->unshown = count_hidden(out->shown, n);
        close_loop(it->A, linear, K); /* A has -B Z already */
        status = dfl_modes_find(&out->poles, ctx, n, it->A);
    }
    for (size_t i = 0; !status && i < m * inputs; i++)
        out->K[(size_t)it->state[i / inputs] * inputs + i % inputs] = K[i] + Z[i];
    dfl_free(ctx, K);
    dfl_free(ctx, Z);
    return status;
}

/* A mode that does not decay by itself must be reached by an input. */
static dfl_status check_reached(const dfl_feedback *it)
{
    for (int i = 0; i < it->open.count; i++) {
        const dfl_mode *mode = &it->open.mode[i];
        if (it->reached[i] <= DFL_HIDDEN_PART && mode->re >= -mode->doubt)
            return dfl_fail(it->ctx, DFL_SINGULAR,
                            "no input reaches the mode with the eigenvalue %.6g %+.6g i, which "
                            "does not decay by itself; feedback cannot make it stable",
                            mode->re, mode->im);
    }
    return DFL_OK;
}

/* With u = w - Z y, Z = R^-1 N^T, the products of y and u vanish: A := A - B Z, Q := Q - N Z
   (Anderson and Moore, Optimal Control, section 3.4). */
static dfl_status remove_products(double *Z, dfl_context *ctx, const used_states *it)
{
    const dfl_weights *w = &it->weights;
    const int n = it->equations.ny, nu = it->equations.nu;
    const size_t inputs = (size_t)nu;
    double *L = dfl_alloc(ctx, inputs * inputs, sizeof *L);
    if (!L)
        return DFL_NO_MEMORY;
    memcpy(L, w->R, inputs * inputs * sizeof *L);
    const bool positive = dfl_cholesky(L, nu);
    for (int j = 0; positive && j < n; j++) {
        double *column = Z + (size_t)j * inputs;
        for (int k = 0; k < nu; k++)
            column[k] = w->N[(size_t)k * (size_t)n + (size_t)j];
        dfl_cholesky_forward(column, 1, L, nu);
        dfl_cholesky_backward(column, L, nu);
    }
    dfl_free(ctx, L);
    if (!positive)
        return dfl_fail(ctx, DFL_INVALID, "the weights of inputs must be positive");
    close_loop(it->A, &it->equations, Z);
    dfl_gemm(n, n, nu, -1, w->N, n, Z, nu, 1, w->Q, n);
    return DFL_OK;
}

/* A := A - B K */
static void close_loop(double *A, const dfl_linear_equations *linear, const double *K)
{
    dfl_gemm(linear->ny, linear->ny, linear->nu, -1, linear->B, linear->ny, K, linear->nu, 1, A,
             linear->ny);
}

static int count_hidden(const double *part, int count)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        found += part[i] <= DFL_HIDDEN_PART;
    return found;
}
