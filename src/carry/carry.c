/* carry.c: the life of a carried model, and its equations as a dfl_eom. */
#include "carry/carry_internal.h"

#include <math.h>
#include <string.h>

static dfl_status make_room(dfl_carried_run *run);
static dfl_status make_programs(dfl_carried_run *run);
static void take_values(dfl_carried_run *run);
static void describe(dfl_carried_run *run);
static dfl_status prepare_motion(dfl_carried_run *run);

dfl_status dfl_carried_create(dfl_carried_run **out, dfl_context *ctx, const dfl_carried *model)
{
    *out = NULL;
    dfl_carried_run *run = dfl_alloc(ctx, 1, sizeof *run);
    if (!run)
        return DFL_NO_MEMORY;
    run->ctx = ctx;
    run->model = model;
    run->stopped = -1;
    dfl_status status = make_room(run);
    if (!status)
        status = dfl_tables_view(&run->tables, ctx, model->tables, model->ntables);
    run->graph = (dfl_graph){.ctx = ctx, .splines = run->tables, .nsplines = model->ntables};
    if (!status)
        status = dfl_carried_create_branching(run);
    if (!status)
        status = make_programs(run);
    if (!status) {
        take_values(run);
        dfl_carried_prepare(run);
        dfl_branching_mask(&run->branching);
        describe(run);
        status = prepare_motion(run);
    }
    if (status) {
        dfl_carried_free(run);
        return status;
    }
    *out = run;
    return DFL_OK;
}

void dfl_carried_free(dfl_carried_run *run)
{
    if (!run)
        return;
    dfl_context *ctx = run->ctx;
    dfl_solver_free(run->solver);
    dfl_solver_free(run->completer);
    dfl_free(ctx, run->weight);
    dfl_accelerations_free(run->motion);
    for (int i = 0; i < DFL_CARRY_PROGRAMS; i++) {
        dfl_tape_view_free(run->tape[i]);
        if (!run->model->programs[i].part)
            dfl_free(ctx, run->work[i]);
    }
    dfl_free(ctx, run->tables);
    dfl_free(ctx, run->param);
    dfl_branching_clear(&run->branching, ctx);
    dfl_free(ctx, run->slope);
    dfl_free(ctx, run->bounds);
    dfl_free(ctx, run->tangent);
    dfl_free(ctx, run->start);
    dfl_free(ctx, run->held);
    dfl_free(ctx, run->a);
    dfl_free(ctx, run);
}

/* Of the programs that `belongs` tells. */
static size_t most_registers(const dfl_carried *model, bool (*belongs)(int program))
{
    size_t most = 0;
    for (int i = 0; i < DFL_CARRY_PROGRAMS; i++) {
        const dfl_tape_data *tape = model->programs[i].tape;
        if (tape && belongs(i) && tape->nregisters > most)
            most = tape->nregisters;
    }
    return most;
}

/* Two blocks: numbers that a run remembers, and workspace. */
static dfl_status make_room(dfl_carried_run *run)
{
    const dfl_carried *m = run->model;
    const dfl_eom *eom = &m->eom;
    const size_t slopes = (size_t)m->events.nslopes;
    const size_t registers = most_registers(m, dfl_carry_encloses);
    const size_t rows = (size_t)(eom->nl + eom->nm + eom->ns + eom->n0 + eom->ne + eom->nep);
    run->param =
        dfl_alloc(run->ctx, (size_t)(m->nparams + m->ninputs + m->nlevels), sizeof(double));
    run->slope = dfl_alloc(run->ctx, slopes + rows, sizeof(double));
    run->bounds = dfl_alloc(run->ctx, registers, sizeof *run->bounds);
    run->start = dfl_alloc(run->ctx, (size_t)m->n, sizeof *run->start);
    run->held = dfl_alloc(run->ctx, (size_t)m->n, sizeof *run->held);
    if (!run->param || !run->slope || !run->bounds || !run->start || !run->held)
        return DFL_NO_MEMORY;
    run->input = run->param + m->nparams;
    run->level = run->input + m->ninputs;
    run->scratch = run->slope + slopes;
    return DFL_OK;
}

static dfl_status make_programs(dfl_carried_run *run)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < DFL_CARRY_PROGRAMS; i++) {
        const dfl_carried_program *program = &run->model->programs[i];
        if (!program->tape)
            continue;
        status = dfl_tape_view_create(&run->tape[i], run->ctx, program->tape, run->tables);
        if (!status && program->part)
            run->work[i] = run->work[DFL_CARRY_ALL];
        else if (!status)
            run->work[i] = dfl_alloc(run->ctx, program->tape->nregisters, sizeof(double));
        if (!status && !run->work[i])
            status = DFL_NO_MEMORY;
    }
    return status;
}

static void take_values(dfl_carried_run *run)
{
    const dfl_carried *m = run->model;
    for (int i = 0; i < m->nparams; i++)
        run->param[i] = m->params[i].value;
    for (int i = 0; i < m->ninputs; i++)
        run->input[i] = m->inputs[i].value;
    memcpy(run->start, m->start, (size_t)m->n * sizeof *run->start);
    memcpy(run->held, m->held, (size_t)m->n * sizeof *run->held);
}

/* ------------------------------------------------------------------------------- evaluation */

void dfl_carried_prepare(dfl_carried_run *run)
{
    const double *const in[] = {NULL,
                                NULL,
                                NULL,
                                run->param,
                                run->input,
                                run->level,
                                run->branching.branch,
                                run->branching.discrete};
    for (int i = 0; i < DFL_CARRY_PROGRAMS; i++)
        if (run->tape[i] && !run->model->programs[i].part)
            dfl_tape_prepare(run->tape[i], run->work[i], in);
}

void dfl_carried_evaluate(const dfl_carried_run *run, int program, double t, const double *x,
                          const double *a, double *const *out)
{
    const double *const in[] = {&t,
                                x,
                                a,
                                run->param,
                                run->input,
                                run->level,
                                run->branching.branch,
                                run->branching.discrete};
    if (run->tape[program])
        run->model->programs[program].code(run->work[program], in, out);
}

dfl_status dfl_carried_tangent(double *const *slope, dfl_carried_run *run, int program, double t,
                               const double *x, const double *a, const dfl_carried_direction *along)
{
    const double *const in[] = {&t,
                                x,
                                a,
                                run->param,
                                run->input,
                                run->level,
                                run->branching.branch,
                                run->branching.discrete};
    const double *const directions[] = {&along->t,    along->x, along->a, along->param,
                                        along->input, NULL,     NULL,     NULL};
    if (!run->tape[program])
        return DFL_OK;
    if (!run->tangent)
        run->tangent = dfl_alloc(run->ctx, most_registers(run->model, dfl_carry_differentiates),
                                 sizeof *run->tangent);
    if (!run->tangent)
        return DFL_NO_MEMORY;
    dfl_branching_follow(&run->branching, t, x);
    dfl_tape_tangent(run->tape[program], run->work[program], run->tangent, in, directions, slope);
    return DFL_OK;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    enum { ARRAYS = sizeof(dfl_blocks) / sizeof(double *) };
    dfl_carried_run *run = user;
    double *arrays[ARRAYS]; /* the fields of dfl_blocks in their order */
    memcpy(arrays, out, sizeof arrays);
    dfl_branching_follow(&run->branching, t, x);
    if (need == run->full)
        dfl_carried_evaluate(run, DFL_CARRY_ALL, t, x, NULL, arrays);
    for (int i = 0; need != run->full && i < 8; i++)
        if (need >> i & 1U)
            dfl_carried_evaluate(run, DFL_CARRY_BLOCK + i, t, x, NULL, arrays);
    return 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    dfl_carried_run *run = user;
    dfl_branching_follow(&run->branching, t, x);
    dfl_carried_evaluate(run, DFL_CARRY_MASS, t, x, NULL, &M);
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    enum { ARRAYS = sizeof(dfl_jacobian) / sizeof(double *) };
    dfl_carried_run *run = user;
    double *arrays[ARRAYS];
    memcpy(arrays, out, sizeof arrays);
    dfl_branching_follow(&run->branching, t, x);
    dfl_carried_evaluate(run, DFL_CARRY_JACOBIAN, t, x, a, arrays);
    return 0;
}

static const char *name(dfl_kind kind, int index, void *user)
{
    const dfl_carried *m = ((const dfl_carried_run *)user)->model;
    const dfl_layout at = dfl_eom_layout(&m->eom);
    const int nc = m->eom.nl + m->eom.nm;
    switch (kind) {
    case DFL_KIND_W:
    case DFL_ROW_D:
        return m->x[at.w + index].name;
    case DFL_KIND_LAMBDA:
        return m->x[at.lambda + index].name;
    case DFL_KIND_MU:
        return m->x[at.mu + index].name;
    case DFL_KIND_R:
    case DFL_ROW_B:
        return m->x[at.r + index].name;
    case DFL_KIND_V:
    case DFL_ROW_F:
        return m->x[at.v + index].name;
    case DFL_KIND_S:
    case DFL_ROW_C:
        return m->x[at.s + index].name;
    case DFL_KIND_P:
    case DFL_ROW_KIN:
        return m->x[at.p + index].name;
    case DFL_ROW_GII:
    case DFL_ROW_GI:
    case DFL_ROW_G:
        return m->rows[index];
    case DFL_ROW_HI:
    case DFL_ROW_HV:
        return m->rows[m->eom.nl + index];
    case DFL_ROW_E:
        return m->rows[nc + index];
    case DFL_ROW_EP:
        return m->rows[nc + m->eom.ne + index];
    case DFL_ROW_GAM:
        return m->rows[nc + m->eom.ne + m->eom.nep + index];
    }
    return NULL;
}

static void describe(dfl_carried_run *run)
{
    run->eom = run->model->eom;
    run->eom.eval = eval;
    run->eom.mass = mass;
    run->eom.jacobian = run->tape[DFL_CARRY_JACOBIAN] ? jacobian : NULL;
    run->eom.name = name;
    run->eom.sizes = run->model->sizes;
    run->eom.user = run;
    run->full = run->eom.trivial_kinematics ? DFL_EVERYTHING & ~(unsigned)DFL_KINEMATICS
                                            : (unsigned)DFL_EVERYTHING;
}

const dfl_eom *dfl_carried_eom(const dfl_carried_run *run)
{
    return &run->eom;
}

/* ------------------------------------------------------------------------------- accelerations */

static dfl_status prepare_motion(dfl_carried_run *run)
{
    const dfl_eom *eom = &run->eom;
    const size_t nv = (size_t)eom->nv, nc = (size_t)(eom->nl + eom->nm), n0 = (size_t)eom->n0;
    run->a = dfl_alloc(
        run->ctx, 2 * nv + nc * (nv + 1) + nv * n0 + n0 * (nv + 1) + (size_t)(eom->np + eom->nr),
        sizeof *run->a);
    if (!run->a)
        return DFL_NO_MEMORY;
    run->blocks.f = run->a + nv;
    run->blocks.W = run->blocks.f + nv;
    run->blocks.bias = run->blocks.W + nc * nv;
    run->blocks.K0 = run->blocks.bias + nc;
    run->balance = run->blocks.K0 + nv * n0;
    run->blocks.kin = run->balance + n0 * (nv + 1);
    run->blocks.b = run->blocks.kin + eom->np;
    return dfl_accelerations_create(&run->motion, run->ctx, eom, true);
}

const double *dfl_carried_accelerations(dfl_carried_run *run, double t, const double *x)
{
    const dfl_eom *eom = &run->eom;
    dfl_balance_rate rate = {NULL, NULL};
    eom->eval(&run->blocks, t, x, DFL_FORCE | DFL_DIRECTIONS | DFL_BIAS, run);
    if (run->tape[DFL_CARRY_BALANCE]) {
        double *const out[2] = {run->balance, run->balance + eom->n0 * eom->nv};
        dfl_carried_evaluate(run, DFL_CARRY_BALANCE, t, x, NULL, out);
        rate = (dfl_balance_rate){out[0], out[1]};
    }
    dfl_accelerations_complete(run->a, run->motion, &run->blocks, &rate, t, x);
    return run->a;
}

void dfl_carried_outputs(double *out, dfl_carried_run *run, double t, const double *x)
{
    const double *a = run->model->accelerations ? dfl_carried_accelerations(run, t, x) : NULL;
    dfl_carried_evaluate(run, DFL_CARRY_OUTPUTS, t, x, a, &out);
}

void dfl_carried_rates(double *rate, dfl_carried_run *run, double t, const double *x)
{
    const dfl_layout at = dfl_eom_layout(&run->eom);
    const dfl_eom *eom = &run->eom;
    memset(rate, 0, (size_t)at.n * sizeof *rate);
    const double *a = dfl_carried_accelerations(run, t, x);
    memcpy(rate + at.v, a, (size_t)eom->nv * sizeof *rate);
    eom->eval(&run->blocks, t, x, DFL_DYNAMIC, run);
    memcpy(rate + at.r, run->blocks.b, (size_t)eom->nr * sizeof *rate);
    if (!eom->trivial_kinematics)
        eom->eval(&run->blocks, t, x, DFL_KINEMATICS, run);
    memcpy(rate + at.p, eom->trivial_kinematics ? x + at.v : run->blocks.kin,
           (size_t)eom->np * sizeof *rate);
}

/* The invariants' values are their rows plus the present levels. */
void dfl_carried_set_levels(dfl_carried_run *run, double t, const double *x)
{
    enum { POSITION_BLOCK = 4, VELOCITY_BLOCK };
    const dfl_eom *eom = &run->eom;
    double *e = run->scratch, *ep = e + eom->ne, *rest = ep + eom->nep;
    if (eom->ne + eom->nep == 0)
        return;
    memset(run->level, 0, (size_t)run->model->nlevels * sizeof *run->level);
    dfl_carried_prepare(run);
    dfl_blocks out = {.e = e, .ep = ep, .c = rest, .g = rest, .gI = rest, .hv = rest, .gam = rest};
    double *arrays[sizeof out / sizeof(double *)];
    memcpy(arrays, &out, sizeof arrays);
    dfl_carried_evaluate(run, DFL_CARRY_BLOCK + POSITION_BLOCK, t, x, NULL, arrays);
    dfl_carried_evaluate(run, DFL_CARRY_BLOCK + VELOCITY_BLOCK, t, x, NULL, arrays);
    for (int i = 0; i < eom->ne + eom->nep; i++)
        run->level[run->model->levels[i]] = run->scratch[i];
    dfl_carried_prepare(run);
}
