/* programs.c: the equations as programs, each a tape with its registers or native code of it.

   One program evaluates all blocks at once, which is what the solver asks for in every Newton
   iteration; other requests are served block by block, by parts of this program. */
#include "engine/engine_internal.h"
#include "declare/declare.h"

#include <string.h>

enum { PROGRAMS = SINGLE_BLOCKS + 30 };

/* A growing list of targets. */
typedef struct targets {
    dfl_target *item;
    int count;
    bool packed; /* matrices are their nonzeros */
} targets;

typedef void (*target_fn)(targets *list, const dfl_equations *eq);

static int most_targets(const dfl_equations *eq);
static dfl_status lock_targets(targets *list, dfl_runnable *run);
static dfl_status create_program(program *out, dfl_runnable *run, const targets *list);
static dfl_status select_program(program *out, const program *whole, const targets *list);
static void list_programs(program **out, dfl_runnable *run);
static void target_rows(targets *list, int array, const dfl_expr *rows, int count);
static void target_matrix(targets *list, int array, const dfl_sparse *matrix, int leading);
static void target_blocks(targets *list, const dfl_equations *eq, unsigned need);
static void target_mass(targets *list, const dfl_equations *eq);
static void target_jacobian(targets *list, const dfl_equations *eq);
static void target_outputs(targets *list, const dfl_equations *eq);
static void target_energy(targets *list, const dfl_equations *eq);
static void target_scene(targets *list, const dfl_equations *eq);
static void target_doubts(targets *list, const dfl_equations *eq);
static void target_drives(targets *list, const dfl_equations *eq);
static void target_motion_slopes(targets *list, const dfl_equations *eq);

dfl_status dfl_runnable_create_programs(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const struct {
        program *out;
        target_fn target;
        bool locked; /* part of the equations: branches are frozen */
    } others[] = {
        {&run->mass, target_mass, true},        {&run->jacobian, target_jacobian, true},
        {&run->drives, target_drives, true},    {&run->motion_slopes, target_motion_slopes, true},
        {&run->outputs, target_outputs, false}, {&run->energy, target_energy, false},
        {&run->scene, target_scene, false},     {&run->doubts, target_doubts, false}};
    targets list = {.item = dfl_alloc(run->ctx, (size_t)most_targets(eq), sizeof *list.item),
                    .packed = run->packed};
    if (!list.item)
        return DFL_NO_MEMORY;
    target_blocks(&list, eq, run->full);
    dfl_status status = lock_targets(&list, run);
    if (!status)
        status = create_program(&run->all, run, &list);
    if (!status && run->packed) {
        run->lanes =
            dfl_alloc(run->ctx, DFL_TAPE_LANES * dfl_tape_work(run->all.tape), sizeof *run->lanes);
        status = run->lanes ? DFL_OK : DFL_NO_MEMORY;
    }
    for (int i = 0; !status && i < SINGLE_BLOCKS; i++) {
        list.count = 0;
        target_blocks(&list, eq, 1U << i);
        status = lock_targets(&list, run);
        if (!status)
            status = run->full >> i & 1U ? select_program(&run->single[i], &run->all, &list)
                                         : create_program(&run->single[i], run, &list);
    }
    for (size_t i = 0; !status && i < sizeof others / sizeof *others; i++) {
        list.count = 0;
        others[i].target(&list, eq);
        if (others[i].locked)
            status = lock_targets(&list, run);
        if (!status)
            status = create_program(others[i].out, run, &list);
    }
    dfl_free(run->ctx, list.item);
    return status;
}

void dfl_runnable_free_programs(dfl_runnable *run)
{
    program *all[PROGRAMS];
    list_programs(all, run);
    for (int i = 0; i < PROGRAMS; i++) {
        dfl_tape_free(all[i]->tape);
        if (!all[i]->part)
            dfl_free(run->ctx, all[i]->work);
    }
    dfl_free(run->ctx, run->lanes);
    dfl_native_free(run->native);
}

void dfl_runnable_prepare(dfl_runnable *run)
{
    const double *const in[DFL_IN_ARRAYS] = {[DFL_IN_PARAM] = run->param,
                                             [DFL_IN_INPUT] = run->input,
                                             [DFL_IN_LEVEL] = run->level,
                                             [DFL_IN_BRANCH] = run->branching.branch,
                                             [DFL_IN_DISCRETE] = run->branching.discrete};
    program *all[PROGRAMS];
    list_programs(all, run);
    for (int i = 0; i < PROGRAMS; i++)
        if (!all[i]->part && all[i]->tape)
            dfl_tape_prepare(all[i]->tape, all[i]->work, in);
    if (run->lanes)
        dfl_tape_lanes_prepare(run->all.tape, run->lanes, run->all.work);
}

/* The arrays that programs read. */
static void list_inputs(const double **in, const dfl_runnable *run, const double *t,
                        const double *x, const double *a)
{
    in[DFL_IN_TIME] = t;
    in[DFL_IN_X] = x;
    in[DFL_IN_A] = a;
    in[DFL_IN_PARAM] = run->param;
    in[DFL_IN_INPUT] = run->input;
    in[DFL_IN_LEVEL] = run->level;
    in[DFL_IN_BRANCH] = run->branching.branch;
    in[DFL_IN_DISCRETE] = run->branching.discrete;
}

void dfl_runnable_evaluate_lanes(dfl_blocks *const *out, const dfl_runnable *run, const double *t,
                                 const double *const *x, int count)
{
    const double *in[DFL_TAPE_LANES][DFL_IN_ARRAYS], *const *inputs[DFL_TAPE_LANES];
    double *arrays[DFL_TAPE_LANES][OUT_BLOCKS], *const *outputs[DFL_TAPE_LANES];
    for (int k = 0; k < count; k++) {
        list_inputs(in[k], run, t + k, x[k], NULL);
        memcpy(arrays[k], out[k], sizeof arrays[k]); /* the fields of dfl_blocks in their order */
        inputs[k] = in[k];
        outputs[k] = arrays[k];
    }
    dfl_tape_eval_lanes(run->all.tape, run->lanes, inputs, outputs, count);
}

void dfl_runnable_evaluate(const program *prog, const dfl_runnable *run, double t, const double *x,
                           const double *a, double *const *out)
{
    const double *in[DFL_IN_ARRAYS];
    list_inputs(in, run, &t, x, a);
    if (prog->native)
        prog->native(prog->work, in, out);
    else
        dfl_tape_eval(prog->tape, prog->work, in, out);
}

void dfl_runnable_places(dfl_place *places, const dfl_equations *eq)
{
    places[DFL_SYM_TIME] = (dfl_place){DFL_IN_TIME, NULL};
    places[DFL_SYM_PARAM] = (dfl_place){DFL_IN_PARAM, NULL};
    places[DFL_SYM_INPUT] = (dfl_place){DFL_IN_INPUT, NULL};
    places[DFL_SYM_LEVEL] = (dfl_place){DFL_IN_LEVEL, NULL};
    places[DFL_SYM_BRANCH] = (dfl_place){DFL_IN_BRANCH, NULL};
    places[DFL_SYM_DISCRETE] = (dfl_place){DFL_IN_DISCRETE, NULL};
    places[DFL_SYM_A] = (dfl_place){DFL_IN_A, eq->slot[DFL_SYM_A]};
    for (int kind = DFL_SYM_W; kind <= DFL_SYM_P; kind++)
        places[kind] = (dfl_place){DFL_IN_X, eq->slot[kind]};
}

/* All programs, in a fixed order. */
static void list_programs(program **out, dfl_runnable *run)
{
    program *const others[] = {&run->all,
                               &run->mass,
                               &run->jacobian,
                               &run->outputs,
                               &run->energy,
                               &run->scene,
                               &run->doubts,
                               &run->drives,
                               &run->motion_slopes,
                               &run->parameters.slopes,
                               &run->parameters.products,
                               &run->along.slopes,
                               &run->parameters.by_time,
                               &run->switches.all.values,
                               &run->switches.all.slopes,
                               &run->switches.of_time.values,
                               &run->switches.of_time.slopes,
                               &run->switches.momenta,
                               &run->switches.energy,
                               &run->switches.drives,
                               &run->switches.unlocked,
                               &run->pulses.values,
                               &run->pulses.slopes,
                               &run->actions.values,
                               &run->actions.masks,
                               &run->contacts.motion.values,
                               &run->contacts.motion.slopes,
                               &run->contacts.laws,
                               &run->events.values,
                               &run->events.slopes};
    _Static_assert(sizeof others / sizeof *others == PROGRAMS - SINGLE_BLOCKS, "all programs");
    for (int i = 0; i < PROGRAMS - SINGLE_BLOCKS; i++)
        out[i] = others[i];
    for (int i = 0; i < SINGLE_BLOCKS; i++)
        out[PROGRAMS - SINGLE_BLOCKS + i] = &run->single[i];
}

static int most_targets(const dfl_equations *eq)
{
    const int rows = eq->np + eq->nv + eq->nr + eq->nw + eq->ns + 3 * eq->nl + 2 * eq->nm + eq->ne +
                     eq->nep + eq->n0 + eq->massless.K0.count + eq->W.count;
    const int entries = eq->jacobian.d.count + eq->jacobian.acc.count + eq->jacobian.vel.count +
                        eq->jacobian.gam.count + eq->jacobian.pos.count + eq->jacobian.b.count +
                        eq->jacobian.dyn.count + eq->jacobian.kin.count;
    const int drives = eq->model->tree ? 3 * eq->model->tree->ndrives : 0;
    return rows + entries + eq->M.count + eq->model->declarations.count + 1 +
           2 * eq->model->doubts.count + dfl_scene_columns(eq->model) + drives;
}

/* The branches of the targets are those of the run. */
static dfl_status lock_targets(targets *list, dfl_runnable *run)
{
    if (run->switches.lock->count == 0)
        return DFL_OK;
    dfl_expr *rows = dfl_alloc(run->ctx, (size_t)list->count, sizeof *rows);
    if (!rows)
        return DFL_NO_MEMORY;
    for (int i = 0; i < list->count; i++)
        rows[i] = list->item[i].expr;
    const dfl_status status = dfl_lock(rows, NULL, run->switches.lock, rows, list->count, false);
    for (int i = 0; !status && i < list->count; i++)
        list->item[i].expr = rows[i];
    dfl_free(run->ctx, rows);
    return status;
}

dfl_status dfl_program_create(program *out, dfl_runnable *run, const dfl_expr *rows, int count)
{
    targets list = {.item = dfl_alloc(run->ctx, (size_t)count, sizeof *list.item)};
    if (!list.item)
        return DFL_NO_MEMORY;
    target_rows(&list, 0, rows, count);
    const dfl_status status = create_program(out, run, &list);
    dfl_free(run->ctx, list.item);
    return status;
}

static dfl_status create_program(program *out, dfl_runnable *run, const targets *list)
{
    const dfl_equations *eq = run->eq;
    dfl_place places[DFL_SYM_KINDS] = {{0}};
    dfl_runnable_places(places, eq);
    dfl_status status =
        dfl_tape_create(&out->tape, run->ctx, eq->graph, places, list->item, list->count);
    if (status)
        return status;
    out->work = dfl_alloc(run->ctx, dfl_tape_work(out->tape), sizeof *out->work);
    return out->work ? DFL_OK : DFL_NO_MEMORY;
}

/* The part of a program that writes the arrays of the targets. */
static dfl_status select_program(program *out, const program *whole, const targets *list)
{
    unsigned arrays = 0;
    for (int i = 0; i < list->count; i++)
        arrays |= 1U << list->item[i].array;
    out->part = true;
    out->work = whole->work;
    return dfl_tape_select(&out->tape, whole->tape, arrays);
}

static void target_rows(targets *list, int array, const dfl_expr *rows, int count)
{
    for (int i = 0; i < count; i++)
        list->item[list->count++] = (dfl_target){rows[i], array, i};
}

/* Entries into a dense column-major matrix with `leading` rows, or one after another. */
static void target_matrix(targets *list, int array, const dfl_sparse *matrix, int leading)
{
    for (int k = 0; k < matrix->count; k++) {
        const dfl_entry *entry = &matrix->entry[k];
        list->item[list->count++] =
            (dfl_target){entry->expr, array, list->packed ? k : entry->row + leading * entry->col};
    }
}

static void target_blocks(targets *list, const dfl_equations *eq, unsigned need)
{
    const int nc = eq->nl + eq->nm;
    if (need & DFL_KINEMATICS)
        target_rows(list, OUT_KIN, eq->rows.kin, eq->np);
    if (need & DFL_FORCE)
        target_rows(list, OUT_F, eq->rows.f, eq->nv);
    if (need & DFL_DYNAMIC)
        target_rows(list, OUT_B, eq->rows.b, eq->nr);
    if (need & DFL_AUXILIARY)
        target_rows(list, OUT_D, eq->rows.d, eq->nw);
    if (need & DFL_POSITION) {
        target_rows(list, OUT_C, eq->rows.c, eq->ns);
        target_rows(list, OUT_G, eq->rows.g, eq->nl);
        target_rows(list, OUT_EP, eq->rows.ep, eq->nep);
    }
    if (need & DFL_VELOCITY) {
        target_rows(list, OUT_GI, eq->rows.gI, eq->nl);
        target_rows(list, OUT_HV, eq->rows.hv, eq->nm);
        target_rows(list, OUT_E, eq->rows.e, eq->ne);
        target_rows(list, OUT_GAM, eq->rows.gam, eq->n0);
    }
    if (need & DFL_DIRECTIONS) {
        target_matrix(list, OUT_W, &eq->W, nc);
        target_matrix(list, OUT_K0, &eq->massless.K0, eq->nv);
    }
    if (need & DFL_BIAS)
        target_rows(list, OUT_BIAS, eq->rows.bias, nc);
}

static void target_mass(targets *list, const dfl_equations *eq)
{
    if (!eq->flags.mass_diagonal) {
        target_matrix(list, 0, &eq->M, eq->nv);
        return;
    }
    for (int k = 0; k < eq->M.count; k++)
        list->item[list->count++] = (dfl_target){eq->M.entry[k].expr, 0, eq->M.entry[k].row};
}

/* Output arrays: the fields of dfl_jacobian in their order. */
static void target_slopes(targets *list, const dfl_equations *eq, const dfl_equation_jacobian *J)
{
    const int nc = eq->nl + eq->nm;
    target_matrix(list, 0, &J->d, eq->nw);
    target_matrix(list, 1, &J->acc, nc);
    target_matrix(list, 2, &J->vel, nc + eq->ne);
    target_matrix(list, 3, &J->gam, eq->n0);
    target_matrix(list, 4, &J->pos, eq->ns + eq->nl + eq->nep);
    target_matrix(list, 5, &J->b, eq->nr);
    target_matrix(list, 6, &J->dyn, eq->nv);
    target_matrix(list, 7, &J->kin, eq->np);
}

static void target_jacobian(targets *list, const dfl_equations *eq)
{
    target_slopes(list, eq, &eq->jacobian);
}

dfl_status dfl_runnable_create_slopes(program *out, dfl_runnable *run,
                                      const dfl_equation_jacobian *slopes)
{
    const int count = slopes->d.count + slopes->acc.count + slopes->vel.count + slopes->gam.count +
                      slopes->pos.count + slopes->b.count + slopes->dyn.count + slopes->kin.count;
    targets list = {.item = dfl_alloc(run->ctx, (size_t)count, sizeof *list.item)};
    if (!list.item)
        return DFL_NO_MEMORY;
    target_slopes(&list, run->eq, slopes);
    dfl_status status = lock_targets(&list, run);
    if (!status)
        status = create_program(out, run, &list);
    dfl_free(run->ctx, list.item);
    return status;
}

static void target_outputs(targets *list, const dfl_equations *eq)
{
    for (int i = 0; i < eq->model->declarations.count; i++) {
        const dfl_declaration *decl = &eq->model->declarations.item[i];
        if (decl->kind == DFL_AN_OUTPUT)
            list->item[list->count++] = (dfl_target){decl->expr, 0, decl->index};
    }
}

static void target_energy(targets *list, const dfl_equations *eq)
{
    if (eq->energy != DFL_NO_EXPR)
        target_rows(list, 0, &eq->energy, 1);
}

static void target_scene(targets *list, const dfl_equations *eq)
{
    for (int i = 0; i < eq->model->shapes.count; i++) {
        const dfl_shape *shape = &eq->model->shapes.item[i];
        for (int k = 0; k < shape->ncolumns; k++)
            if (!dfl_is_constant(eq->graph, shape->column[k])) {
                list->item[list->count] = (dfl_target){shape->column[k], 0, list->count};
                list->count++;
            }
    }
}

static void target_doubts(targets *list, const dfl_equations *eq)
{
    const int count = eq->model->doubts.count;
    for (int i = 0; i < count; i++) {
        const dfl_doubt *doubt = &eq->model->doubts.item[i];
        list->item[list->count++] = (dfl_target){doubt->excess, 0, i};
        list->item[list->count++] = (dfl_target){doubt->whole, 0, count + i};
    }
}

static void target_drives(targets *list, const dfl_equations *eq)
{
    if (eq->model->tree)
        target_rows(list, 0, eq->model->tree->drives, 3 * eq->model->tree->ndrives);
}

/* Once more as separate programs, for the balance along massless directions of a tree of bodies. */
static void target_motion_slopes(targets *list, const dfl_equations *eq)
{
    if (eq->massless.tree)
        target_matrix(list, 0, &eq->jacobian.dyn, eq->nv);
}
