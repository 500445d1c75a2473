/* diagnosis.c: degrees of freedom, redundant constraints, directions without mass, consistency. */
#include "study/study_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

static dfl_status find_massless(double **basis, int *count, dfl_runnable *run, double t,
                                const double *x);
static dfl_status drop_held(double **basis, int *count, dfl_runnable *run, double t,
                            const double *x);
static void scale_columns(double *B, int n, int count);
static dfl_status take_matrices(double *A, double *length, dfl_runnable *run, double t,
                                const double *x);
static dfl_status keep_set(dfl_dependent_set *set, dfl_context *ctx, const double *vector,
                           const double *length, const int *row, int n);
static dfl_status compare_given(dfl_diagnosis *out, dfl_runnable *run, double t);
static void note_level(dfl_diagnosis *out, const dfl_runnable *run, const char *level,
                       dfl_kind kind, const double *rows, int count);
static dfl_status try_start(dfl_diagnosis *out, dfl_runnable *run,
                            const dfl_solver_options *options, double t0);
static void scale_rows(double *A, double *length, int m, int n);
static dfl_status is_combination(bool *out, dfl_runnable *run, double t, const double *x,
                                 const double *direction);

dfl_status dfl_diagnose(dfl_diagnosis *out, dfl_runnable *run, const dfl_solver_options *options,
                        double t0)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    dfl_context *ctx = eq->model->ctx;
    *out = (dfl_diagnosis){.ctx = ctx, .allowed = -1};
    out->dof_by_count = eq->nv - eq->nl - eq->nm;
    out->x_given = dfl_alloc(ctx, (size_t)eq->n, sizeof *out->x_given);
    out->x = dfl_alloc(ctx, (size_t)eq->n, sizeof *out->x);
    out->atol = dfl_alloc(ctx, (size_t)eq->n, sizeof *out->atol);
    dfl_status status = out->x_given && out->x && out->atol ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = compare_given(out, run, t0);
    if (!status)
        status = try_start(out, run, options, t0);
    const double *x = out->start ? out->x_given : out->x;
    if (!status && dfl_study_is_large(run)) { /* sets and directions take dense matrices */
        out->rank = out->start ? eq->nl + eq->nm : out->found;
        out->dof_by_rank = eq->nv - out->rank;
        return dfl_diagnose_redundant(out, eq);
    }
    if (!status)
        status = dfl_diagnose_sets(out, run, t0, x);
    if (!status && out->allowed >= 0) { /* rows that need not fit exactly are dependent, too */
        out->rank = out->allowed;
        out->dof_by_rank = eq->nv - out->rank;
    }
    if (!status)
        status = dfl_diagnose_redundant(out, eq);
    if (!status && out->start)
        status = dfl_diagnose_contradictions(out, run, t0, x, 1e-7);
    if (!status)
        status = dfl_diagnose_directions(out, run, t0, x);
    if (status == DFL_NOT_FINITE && out->start) /* the failed start says where */
        status = dfl_fail(ctx, out->start, "%s", out->start_message);
    if (status)
        dfl_diagnosis_clear(out);
    return status;
}

void dfl_diagnosis_clear(dfl_diagnosis *diagnosis)
{
    dfl_context *ctx = diagnosis->ctx;
    if (!ctx)
        return;
    dfl_diagnosis_clear_sets(diagnosis);
    for (int i = 0; i < diagnosis->ndirections; i++)
        dfl_free(ctx, diagnosis->directions[i].direction);
    dfl_free(ctx, diagnosis->directions);
    dfl_free(ctx, diagnosis->start_message);
    dfl_free(ctx, diagnosis->x_given);
    dfl_free(ctx, diagnosis->x);
    dfl_free(ctx, diagnosis->atol);
    dfl_free(ctx, diagnosis->modes);
    *diagnosis = (dfl_diagnosis){0};
}

/* The null space of [M; W]: massless directions that no constraint holds. */
dfl_status dfl_diagnose_directions(dfl_diagnosis *out, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    dfl_context *ctx = eq->model->ctx;
    const int nv = eq->nv;
    double *basis = NULL;
    int count = 0;
    dfl_status status = find_massless(&basis, &count, run, t, x);
    if (!status && count > 0 && eq->nl + eq->nm > 0)
        status = drop_held(&basis, &count, run, t, x);
    if (!status) {
        dfl_reduce_basis(basis, nv, count);
        out->directions = dfl_alloc(ctx, (size_t)count, sizeof *out->directions);
        status = out->directions ? DFL_OK : DFL_NO_MEMORY;
    }
    for (int k = 0; !status && k < count; k++) {
        dfl_free_direction *to = &out->directions[k];
        to->direction = dfl_alloc(ctx, (size_t)nv, sizeof *to->direction);
        if (!to->direction) {
            status = DFL_NO_MEMORY;
            break;
        }
        memcpy(to->direction, basis + k * nv, (size_t)nv * sizeof *to->direction);
        out->ndirections++;
        if (eq->n0 > 0)
            status = is_combination(&to->balanced, run, t, x, to->direction);
        if (!status && to->balanced)
            status = dfl_direction_is_damped(&to->balanced, run, t, x, to->direction);
    }
    dfl_free(ctx, basis);
    return status;
}

/* basis (nv x *count) spans the null space of M. */
static dfl_status find_massless(double **basis, int *count, dfl_runnable *run, double t,
                                const double *x)
{
    const dfl_equations *eq = eq_of(run);
    const size_t nv = (size_t)eq->nv;
    double *M = dfl_alloc(ctx_of(run), nv * nv, sizeof *M);
    if (!M)
        return DFL_NO_MEMORY;
    dfl_status status = dfl_state_mass(M, run, t, x);
    for (size_t j = nv;
         eq->flags.mass_diagonal && j-- > 1;) { /* from its array onto the diagonal */
        M[j * (nv + 1)] = M[j];
        M[j] = 0.0;
    }
    if (!status)
        status = dfl_mass_null_space(basis, count, ctx_of(run), M, eq->nv);
    dfl_free(ctx_of(run), M);
    return status;
}

/* *basis := its combinations that W maps to zero. Rows of W and vectors have length 1 in the
   comparison, so that what is below 1e-10 in W basis is rounding. */
static dfl_status drop_held(double **basis, int *count, dfl_runnable *run, double t,
                            const double *x)
{
    const dfl_equations *eq = eq_of(run);
    dfl_context *ctx = ctx_of(run);
    const int nv = eq->nv, nc = eq->nl + eq->nm, rows = nv + nc;
    double *A = dfl_alloc(ctx, (size_t)rows * (size_t)nv, sizeof *A), *free = NULL;
    double *length = dfl_alloc(ctx, (size_t)rows, sizeof *length);
    double *B = dfl_alloc(ctx, (size_t)nc * (size_t)*count, sizeof *B), *left = NULL;
    int nleft = 0;
    dfl_status status = A && length && B ? take_matrices(A, length, run, t, x) : DFL_NO_MEMORY;
    if (!status) {
        scale_columns(*basis, nv, *count);
        dfl_gemm(nc, *count, nv, 1.0, A + nv, rows, *basis, nv, 0.0, B, nc);
        for (int i = 0; i < nc * *count; i++)
            B[i] = fabs(B[i]) < 1e-10 ? 0.0 : B[i];
        status = dfl_null_space(&left, &nleft, ctx, B, nc, *count);
    }
    if (!status) {
        free = dfl_alloc(ctx, (size_t)nv * (size_t)nleft, sizeof *free);
        status = free ? DFL_OK : DFL_NO_MEMORY;
    }
    if (!status) {
        dfl_gemm(nv, nleft, *count, 1.0, *basis, nv, left, *count, 0.0, free, nv);
        dfl_free(ctx, *basis);
        *basis = free;
        *count = nleft;
    }
    dfl_free(ctx, A);
    dfl_free(ctx, length);
    dfl_free(ctx, B);
    dfl_free(ctx, left);
    return status;
}

static void scale_columns(double *B, int n, int count)
{
    for (int k = 0; k < count; k++) {
        double *column = B + (size_t)k * (size_t)n, length = 0.0;
        for (int i = 0; i < n; i++)
            length = hypot(length, column[i]);
        for (int i = 0; i < n; i++)
            column[i] /= length;
    }
}

void dfl_print_combination(dfl_text *text, const dfl_equations *eq, const double *direction)
{
    bool first = true;
    for (int j = 0; j < eq->nv; j++) {
        const double size = fabs(direction[j]);
        if (size == 0.0)
            continue;
        dfl_text_add(text, "%s", direction[j] < 0.0 ? first ? "-" : " - " : first ? "" : " + ");
        if (fabs(size - 1.0) > 1e-9)
            dfl_text_add(text, "%.4g ", size);
        dfl_text_add(text, "%s", dfl_equations_v(eq)[j].name);
        first = false;
    }
}

/* ------------------------------------------------------------------------------- matrices */

/* A = [M; W], (nv+nl+nm) x nv, rows scaled from their `length` to one. */
static dfl_status take_matrices(double *A, double *length, dfl_runnable *run, double t,
                                const double *x)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    dfl_context *ctx = eq->model->ctx;
    const int nv = eq->nv, nc = eq->nl + eq->nm, rows = nv + nc;
    double *M = dfl_alloc(ctx, (size_t)nv * (size_t)nv, sizeof *M);
    dfl_blocks blocks = {0};
    dfl_status status = M ? dfl_state_mass(M, run, t, x) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_state_blocks_create(&blocks, run, DFL_DIRECTIONS, t, x);
    if (!status) {
        for (int j = 0; j < nv; j++) {
            for (int i = 0; i < nv; i++)
                A[i + j * rows] = !eq->flags.mass_diagonal ? M[i + j * nv] : i == j ? M[i] : 0.0;
            memcpy(A + nv + j * rows, blocks.W + j * nc, (size_t)nc * sizeof *A);
        }
        scale_rows(A, length, rows, nv);
    }
    dfl_state_blocks_free(&blocks, run);
    dfl_free(ctx, M);
    return status;
}

/* Rows in which only rounding is left keep their length. */
static void scale_rows(double *A, double *length, int m, int n)
{
    const double largest = dfl_max_abs(A, m * n);
    for (int i = 0; i < m; i++) {
        length[i] = 0.0;
        for (int j = 0; j < n; j++)
            length[i] = hypot(length[i], A[i + j * m]);
        if (length[i] <= 1e-13 * largest)
            length[i] = 1.0;
        for (int j = 0; j < n; j++)
            A[i + j * m] /= length[i];
    }
}

/* Whether the direction is a combination of columns of K0, whose balance is among the equations. */
static dfl_status is_combination(bool *out, dfl_runnable *run, double t, const double *x,
                                 const double *direction)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    dfl_context *ctx = eq->model->ctx;
    const size_t nv = (size_t)eq->nv, n0 = (size_t)eq->n0;
    dfl_blocks blocks;
    double *K = dfl_alloc(ctx, nv * (n0 + 1), sizeof *K), *basis = NULL;
    int dependent = 0;
    dfl_status status = dfl_state_blocks_create(&blocks, run, DFL_DIRECTIONS, t, x);
    if (!K)
        status = DFL_NO_MEMORY;
    if (!status) { /* one vector more than K0 has, and still no more directions */
        memcpy(K, blocks.K0, nv * n0 * sizeof *K);
        memcpy(K + nv * n0, direction, nv * sizeof *K);
        status = dfl_null_space(&basis, &dependent, ctx, K, eq->nv, eq->n0 + 1);
    }
    *out = dependent > 0;
    dfl_free(ctx, K);
    dfl_free(ctx, basis);
    dfl_state_blocks_free(&blocks, run);
    return status;
}

/* ------------------------------------------------------------------------------- constraints */

/* The null space of W^T, whose vectors combine dependent rows to zero. */
dfl_status dfl_diagnose_sets(dfl_diagnosis *out, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    dfl_context *ctx = eq->model->ctx;
    const int nv = eq->nv, nc = eq->nl + eq->nm, rows = nv + nc;
    double *A = dfl_alloc(ctx, (size_t)rows * (size_t)nv, sizeof *A);
    double *WT = dfl_alloc(ctx, (size_t)nv * (size_t)nc, sizeof *WT), *basis = NULL;
    double *length = dfl_alloc(ctx, (size_t)rows, sizeof *length);
    int *on = dfl_alloc(ctx, (size_t)nc, sizeof *on), non = 0; /* rows that are not 0 = 0 */
    int count = 0;
    dfl_status status =
        A && WT && length && on ? take_matrices(A, length, run, t, x) : DFL_NO_MEMORY;
    for (int i = 0; !status && i < nc; i++) {
        if (dfl_runnable_row_is_off(run, i))
            continue;
        for (int j = 0; j < nv; j++)
            WT[j + non * nv] = A[nv + i + j * rows];
        on[non++] = i;
    }
    if (!status && non)
        status = dfl_null_space(&basis, &count, ctx, WT, nv, non);
    if (!status) {
        out->sets = dfl_alloc(ctx, (size_t)count, sizeof *out->sets);
        status = out->sets ? DFL_OK : DFL_NO_MEMORY;
    }
    for (int k = 0; !status && k < count; k++) {
        out->nsets++;
        status = keep_set(&out->sets[k], ctx, basis + k * non, length + nv, on, non);
    }
    out->rank = non - count;
    out->dof_by_rank = nv - out->rank;
    out->dof_by_count = nv - non;
    dfl_free(ctx, A);
    dfl_free(ctx, on);
    dfl_free(ctx, WT);
    dfl_free(ctx, length);
    dfl_free(ctx, basis);
    return status;
}

/* The entries of `vector` belong to these n rows; the last one gets the coefficient 1. */
static dfl_status keep_set(dfl_dependent_set *set, dfl_context *ctx, const double *vector,
                           const double *length, const int *row, int n)
{
    set->rows = dfl_alloc(ctx, (size_t)n, sizeof *set->rows);
    set->coefficient = dfl_alloc(ctx, (size_t)n, sizeof *set->coefficient);
    if (!set->rows || !set->coefficient)
        return DFL_NO_MEMORY;
    for (int i = 0; i < n; i++)
        if (vector[i] != 0.0) {
            set->rows[set->count] = row[i];
            set->coefficient[set->count++] = vector[i] / length[row[i]];
        }
    for (int i = 0; i < set->count; i++)
        set->coefficient[i] /= set->coefficient[set->count - 1];
    return DFL_OK;
}

/* ------------------------------------------------------------------------------- initial values */

/* The residuals of the values as the script gives them. */
static dfl_status compare_given(dfl_diagnosis *out, dfl_runnable *run, double t)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    const dfl_eom *eom = dfl_runnable_eom(run);
    dfl_context *ctx = eq->model->ctx;
    const int rows = eq->nw + eq->ns + 2 * eq->nl + eq->nm + eq->ne + eq->nep + eq->n0;
    bool *held = dfl_alloc(ctx, (size_t)eq->n, sizeof *held);
    double *store = dfl_alloc(ctx, (size_t)rows, sizeof *store);
    if (held && store) {
        dfl_study_given(out->x_given, held, run);
        dfl_blocks blocks = {.d = store};
        blocks.c = blocks.d + eq->nw;
        blocks.g = blocks.c + eq->ns;
        blocks.gI = blocks.g + eq->nl;
        blocks.hv = blocks.gI + eq->nl;
        blocks.gam = blocks.hv + eq->nm;
        blocks.e = blocks.gam + eq->n0;
        blocks.ep = blocks.e + eq->ne;
        eom->eval(&blocks, t, out->x_given, DFL_AUXILIARY | DFL_POSITION | DFL_VELOCITY, eom->user);
        note_level(out, run, "position", DFL_ROW_G, blocks.g, eq->nl);
        note_level(out, run, "velocity", DFL_ROW_GI, blocks.gI, eq->nl);
        note_level(out, run, "nonholonomic", DFL_ROW_HV, blocks.hv, eq->nm);
        note_level(out, run, "contact", DFL_ROW_C, blocks.c, eq->ns);
        note_level(out, run, "auxiliary", DFL_ROW_D, blocks.d, eq->nw);
        note_level(out, run, "massless", DFL_ROW_GAM, blocks.gam, eq->n0);
    }
    const bool enough = held && store;
    dfl_free(ctx, held);
    dfl_free(ctx, store);
    return enough ? DFL_OK : DFL_NO_MEMORY;
}

static void note_level(dfl_diagnosis *out, const dfl_runnable *run, const char *level,
                       dfl_kind kind, const double *rows, int count)
{
    const dfl_eom *eom = dfl_runnable_eom(run);
    if (!count)
        return;
    int worst = 0;
    for (int i = 1; i < count; i++)
        if (!(fabs(rows[i]) <= fabs(rows[worst])))
            worst = i;
    dfl_level_residual *to = &out->given[out->ngiven++];
    to->level = level;
    to->row = worst;
    to->residual = fabs(rows[worst]);
    to->name = eom->name(kind, worst, eom->user);
}

static dfl_status try_start(dfl_diagnosis *out, dfl_runnable *run,
                            const dfl_solver_options *options, double t0)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    dfl_context *ctx = eq->model->ctx;
    dfl_solver *solver = NULL;
    out->start = dfl_solver_create(&solver, ctx, dfl_runnable_eom(run), options);
    if (!out->start)
        out->start = dfl_study_start(out->x, &out->chosen, run, solver, options, t0);
    if (!out->start) {
        dfl_solver_tolerances(out->atol, solver);
        out->rtol = options && options->rtol > 0 ? options->rtol : 1e-6;
    }
    for (int i = 0; out->start && i < eq->n; i++)
        out->x[i] = out->atol[i] = NAN;
    if (!out->start)
        out->found = dfl_solver_statistics(solver).rank_velocity;
    if (!out->start && options &&
        (options->constraints.redundant > 0 || options->constraints.redundant_each))
        out->allowed = out->found;
    dfl_solver_free(solver);
    if (out->start == DFL_NO_MEMORY)
        return DFL_NO_MEMORY;
    out->start_message = dfl_copy_string(ctx, out->start ? dfl_message(ctx) : "");
    return out->start_message ? DFL_OK : DFL_NO_MEMORY;
}
