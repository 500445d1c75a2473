/* runnable.c: equations as programs, and the callbacks of dfl_eom on top of them.

   One program evaluates all blocks at once, which is what the solver asks for in every Newton
   iteration; other requests are served block by block. */
#include "model/runnable_internal.h"
#include "model/shape.h"

#include <math.h>
#include <string.h>

/* A growing list of targets. */
typedef struct targets {
    dfl_target *item;
    int count;
} targets;

static void take_values(dfl_runnable *run);
static dfl_status create_recursion(dfl_runnable *run);
static dfl_status create_programs(dfl_runnable *run);
static dfl_status create_program(program *out, dfl_runnable *run, const targets *list);
static int most_targets(const dfl_equations *eq);
static void target_blocks(targets *list, const dfl_equations *eq, unsigned need);
static void target_rows(targets *list, int array, const dfl_expr *rows, int count);
static void target_matrix(targets *list, int array, const dfl_sparse *matrix, int first_row,
                          int leading);
static void target_mass(targets *list, const dfl_equations *eq);
static void target_jacobian(targets *list, const dfl_equations *eq);
static void target_declared(targets *list, const dfl_equations *eq, dfl_declared kind);
static void target_scene(targets *list, const dfl_equations *eq);
static void describe(dfl_runnable *run);
static void prepare(dfl_runnable *run);
static void free_program(program *prog, dfl_context *ctx);
static void evaluate(const program *prog, const dfl_runnable *run, double t, const double *x,
                     const double *a, double *const *out);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int mass(double *M, double t, const double *x, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static void place_tree(const dfl_runnable *run, double t, const double *x);
static int eval_initial(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int jacobian_initial(dfl_jacobian *out, double t, const double *x, const double *a,
                            void *user);
static void copy_rows(double *to, int nto, const double *from, int nfrom, int columns);
static const char *name(dfl_kind kind, int index, void *user);

/* ------------------------------------------------------------------------------- life */

dfl_status dfl_runnable_create(dfl_runnable **out, const dfl_equations *eq)
{
    dfl_context *ctx = eq->model->ctx;
    const dfl_model *model = eq->model;
    *out = NULL;
    dfl_runnable *run = dfl_alloc(ctx, 1, sizeof *run);
    if (!run)
        return DFL_NO_MEMORY;
    run->eq = eq;
    run->ctx = ctx;
    run->full = eq->trivial_kinematics ? DFL_EVERYTHING & ~(unsigned)DFL_KINEMATICS
                                       : (unsigned)DFL_EVERYTHING;
    const size_t rows = (size_t)(eq->nl + eq->nm + eq->ns + eq->ne + eq->nep);
    run->param = dfl_alloc(ctx, (size_t)model->count[DFL_A_PARAM], sizeof(double));
    run->input = dfl_alloc(ctx, (size_t)model->count[DFL_AN_INPUT], sizeof(double));
    run->level = dfl_alloc(ctx, (size_t)model->count[DFL_AN_INVARIANT], sizeof(double));
    run->scratch = dfl_alloc(ctx, rows * (size_t)(2 * eq->n + 1), sizeof(double));
    dfl_status status = DFL_NO_MEMORY;
    if (run->param && run->input && run->level && run->scratch)
        status = create_programs(run);
    if (status) {
        dfl_runnable_free(run);
        return status;
    }
    take_values(run);
    prepare(run);
    describe(run);
    status = create_recursion(run);
    if (!status)
        status = dfl_runnable_prepare_motion(run);
    if (status) {
        dfl_runnable_free(run);
        return status;
    }
    *out = run;
    return DFL_OK;
}

/* Parameters and inputs as the model has them. */
static void take_values(dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    for (int i = 0; i < model->ndeclarations; i++) {
        const dfl_declaration *decl = &model->declarations[i];
        if (decl->kind == DFL_A_PARAM)
            run->param[decl->index] = decl->value;
        else if (decl->kind == DFL_AN_INPUT)
            run->input[decl->index] = decl->value;
    }
}

static dfl_status create_recursion(dfl_runnable *run)
{
    const dfl_mass_tree *tree = run->eq->model->tree;
    if (!tree)
        return DFL_OK;
    const dfl_numbers numbers = dfl_runnable_numbers(run, 0.0, NULL, NULL);
    run->driven = dfl_alloc(run->ctx, (size_t)(3 * tree->ndrives), sizeof *run->driven);
    return run->driven ? dfl_recursion_create(&run->recursion, run->eq, &numbers) : DFL_NO_MEMORY;
}

void dfl_runnable_free(dfl_runnable *run)
{
    if (!run)
        return;
    program *all[PROGRAMS];
    dfl_runnable_programs(all, run);
    for (int i = 0; i < PROGRAMS; i++)
        free_program(all[i], run->ctx);
    dfl_native_free(run->native);
    dfl_free(run->ctx, run->param);
    dfl_free(run->ctx, run->input);
    dfl_free(run->ctx, run->level);
    dfl_free(run->ctx, run->scratch);
    dfl_free(run->ctx, run->driven);
    dfl_recursion_free(run->recursion);
    dfl_runnable_free_motion(run);
    dfl_free(run->ctx, run->independent);
    dfl_free(run->ctx, run);
}

void dfl_runnable_programs(program **out, dfl_runnable *run)
{
    program *const others[] = {&run->all,    &run->mass,   &run->jacobian, &run->outputs,
                               &run->energy, &run->events, &run->scene,    &run->drives};
    for (int i = 0; i < PROGRAMS - SINGLE_BLOCKS; i++)
        out[i] = others[i];
    for (int i = 0; i < SINGLE_BLOCKS; i++)
        out[PROGRAMS - SINGLE_BLOCKS + i] = &run->single[i];
}

const dfl_eom *dfl_runnable_eom(const dfl_runnable *run)
{
    return &run->eom;
}

const dfl_equations *dfl_runnable_equations(const dfl_runnable *run)
{
    return run->eq;
}

dfl_status dfl_runnable_set(dfl_runnable *run, dfl_declared kind, int index, double value)
{
    double *place = &(kind == DFL_A_PARAM ? run->param : run->input)[index];
    const double before = *place;
    *place = value;
    const dfl_numbers numbers = dfl_runnable_numbers(run, 0.0, NULL, NULL);
    const dfl_status status =
        run->recursion ? dfl_recursion_update(run->recursion, &numbers) : DFL_OK;
    if (status)
        *place = before;
    prepare(run);
    return status;
}

/* ------------------------------------------------------------------------------- native code */

dfl_status dfl_runnable_compile(bool *native, dfl_runnable *run, dfl_evaluation how,
                                double evaluations, const dfl_native_options *options)
{
    /* what an integration calls often; the Jacobian about once for six evaluations */
    program *const used[] = {&run->all, &run->mass, &run->jacobian};
    const dfl_tape *tapes[3];
    const double counts[3] = {evaluations, run->eq->mass_constant ? 1.0 : evaluations,
                              evaluations / 6.0};
    const bool automatic = how == DFL_EVAL_AUTO || how == DFL_EVAL_RECURSION;
    dfl_native_free(run->native); /* of an earlier call */
    run->native = NULL;
    for (int i = 0; i < 3; i++) {
        tapes[i] = used[i]->tape;
        used[i]->native = NULL;
    }
    *native = false;
    if (how == DFL_EVAL_TAPE ||
        (automatic && dfl_native_gain(tapes, 3, counts) < 2.0 * dfl_native_cost(tapes, 3) &&
         !dfl_native_cached(run->ctx, tapes, 3, options)))
        return DFL_OK;
    const dfl_status status = dfl_native_create(&run->native, run->ctx, tapes, 3, options);
    if (status)
        return automatic && status != DFL_NO_MEMORY ? DFL_OK : status;
    for (int i = 0; i < 3; i++)
        used[i]->native = dfl_native_function(run->native, i);
    *native = true;
    return DFL_OK;
}

/* ------------------------------------------------------------------------------- what is asked for */

void dfl_runnable_outputs(double *out, dfl_runnable *run, double t, const double *x)
{
    evaluate(&run->outputs, run, t, x, dfl_runnable_accelerations(run, t, x), &out);
}

void dfl_runnable_events(double *value, dfl_runnable *run, double t, const double *x)
{
    evaluate(&run->events, run, t, x, NULL, &value);
}

void dfl_runnable_scene(double *out, dfl_runnable *run, double t, const double *x)
{
    evaluate(&run->scene, run, t, x, NULL, &out);
}

double dfl_runnable_energy(dfl_runnable *run, double t, const double *x)
{
    double energy = NAN, *out = &energy;
    if (run->eq->energy != DFL_NO_EXPR)
        evaluate(&run->energy, run, t, x, NULL, &out);
    return energy;
}

/* The invariants' values are their rows plus the present levels. */
void dfl_runnable_set_levels(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    const double *const in[DFL_IN_ARRAYS] = {&t, x, NULL, run->param, run->input, run->level};
    if (eq->ne + eq->nep == 0)
        return;
    memset(run->level, 0, (size_t)(eq->ne + eq->nep) * sizeof *run->level);
    prepare(run);
    double *out[OUT_BLOCKS] = {[OUT_E] = run->scratch, [OUT_EP] = run->scratch + eq->ne};
    double *const rest = run->scratch + eq->ne + eq->nep;
    out[OUT_C] = rest;
    out[OUT_G] = rest;
    out[OUT_GI] = rest;
    out[OUT_HV] = rest;
    out[OUT_GAM] = rest;
    const program *const blocks[] = {&run->single[4], &run->single[5]}; /* POSITION, VELOCITY */
    for (int i = 0; i < 2; i++)
        dfl_tape_eval(blocks[i]->tape, blocks[i]->work, in, out);
    for (int i = 0; i < eq->ne; i++)
        run->level[eq->model->declarations[eq->declaration_of_e[i]].index] = run->scratch[i];
    for (int i = 0; i < eq->nep; i++)
        run->level[eq->model->declarations[eq->declaration_of_ep[i]].index] =
            run->scratch[eq->ne + i];
    prepare(run);
}

dfl_status dfl_runnable_values(double *out, dfl_runnable *run, const dfl_expr *exprs, int count,
                               double t, const double *x, const double *a)
{
    const dfl_numbers numbers = dfl_runnable_numbers(run, t, x, a);
    return dfl_numbers_values(out, &numbers, run->eq, exprs, count);
}

dfl_numbers dfl_runnable_numbers(const dfl_runnable *run, double t, const double *x,
                                 const double *a)
{
    return (dfl_numbers){t, x, a, run->param, run->input, run->level};
}

/* ------------------------------------------------------------------------------- programs */

static dfl_status create_programs(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    targets list = {.item = dfl_alloc(run->ctx, (size_t)most_targets(eq), sizeof *list.item)};
    if (!list.item)
        return DFL_NO_MEMORY;
    target_blocks(&list, eq, run->full);
    dfl_status status = create_program(&run->all, run, &list);
    for (int i = 0; !status && i < SINGLE_BLOCKS; i++) {
        list.count = 0;
        target_blocks(&list, eq, 1U << i);
        status = create_program(&run->single[i], run, &list);
    }
    list.count = 0;
    target_mass(&list, eq);
    if (!status)
        status = create_program(&run->mass, run, &list);
    list.count = 0;
    target_jacobian(&list, eq);
    if (!status)
        status = create_program(&run->jacobian, run, &list);
    list.count = 0;
    target_declared(&list, eq, DFL_AN_OUTPUT);
    if (!status)
        status = create_program(&run->outputs, run, &list);
    list.count = 0;
    target_declared(&list, eq, DFL_AN_EVENT);
    if (!status)
        status = create_program(&run->events, run, &list);
    list.count = 0;
    if (eq->energy != DFL_NO_EXPR)
        target_rows(&list, 0, &eq->energy, 1);
    if (!status)
        status = create_program(&run->energy, run, &list);
    list.count = 0;
    target_scene(&list, eq);
    if (!status)
        status = create_program(&run->scene, run, &list);
    list.count = 0;
    if (eq->model->tree)
        target_rows(&list, 0, eq->model->tree->drives, 3 * eq->model->tree->ndrives);
    if (!status)
        status = create_program(&run->drives, run, &list);
    dfl_free(run->ctx, list.item);
    return status;
}

static int most_targets(const dfl_equations *eq)
{
    const int rows = eq->np + eq->nv + eq->nr + eq->nw + eq->ns + 3 * eq->nl + 2 * eq->nm + eq->ne +
                     eq->nep + eq->n0 + eq->K0.count + eq->W.count;
    const int entries = eq->Jd.count + eq->Jacc.count + eq->Jvel.count + eq->Jgam.count +
                        eq->Jpos.count + eq->Jb.count + eq->Jdyn.count + eq->Jkin.count;
    const int drives = eq->model->tree ? 3 * eq->model->tree->ndrives : 0;
    return rows + entries + eq->M.count + eq->model->ndeclarations + 1 +
           dfl_scene_columns(eq->model) + drives;
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

void dfl_runnable_places(dfl_place *places, const dfl_equations *eq)
{
    places[DFL_SYM_TIME] = (dfl_place){DFL_IN_TIME, NULL};
    places[DFL_SYM_PARAM] = (dfl_place){DFL_IN_PARAM, NULL};
    places[DFL_SYM_INPUT] = (dfl_place){DFL_IN_INPUT, NULL};
    places[DFL_SYM_LEVEL] = (dfl_place){DFL_IN_LEVEL, NULL};
    places[DFL_SYM_A] = (dfl_place){DFL_IN_A, eq->slot[DFL_SYM_A]};
    for (int kind = DFL_SYM_W; kind <= DFL_SYM_P; kind++)
        places[kind] = (dfl_place){DFL_IN_X, eq->slot[kind]};
}

static void free_program(program *prog, dfl_context *ctx)
{
    dfl_tape_free(prog->tape);
    dfl_free(ctx, prog->work);
}

static void target_rows(targets *list, int array, const dfl_expr *rows, int count)
{
    for (int i = 0; i < count; i++)
        list->item[list->count++] = (dfl_target){rows[i], array, i};
}

/* Entries into a dense column-major matrix with `leading` rows, from row first_row on. */
static void target_matrix(targets *list, int array, const dfl_sparse *matrix, int first_row,
                          int leading)
{
    for (int k = 0; k < matrix->count; k++) {
        const dfl_entry *entry = &matrix->entry[k];
        list->item[list->count++] =
            (dfl_target){entry->expr, array, first_row + entry->row + leading * entry->col};
    }
}

static void target_blocks(targets *list, const dfl_equations *eq, unsigned need)
{
    const int nc = eq->nl + eq->nm;
    if (need & DFL_KINEMATICS)
        target_rows(list, OUT_KIN, eq->kin, eq->np);
    if (need & DFL_FORCE)
        target_rows(list, OUT_F, eq->f, eq->nv);
    if (need & DFL_DYNAMIC)
        target_rows(list, OUT_B, eq->b, eq->nr);
    if (need & DFL_AUXILIARY)
        target_rows(list, OUT_D, eq->d, eq->nw);
    if (need & DFL_POSITION) {
        target_rows(list, OUT_C, eq->c, eq->ns);
        target_rows(list, OUT_G, eq->g, eq->nl);
        target_rows(list, OUT_EP, eq->ep, eq->nep);
    }
    if (need & DFL_VELOCITY) {
        target_rows(list, OUT_GI, eq->gI, eq->nl);
        target_rows(list, OUT_HV, eq->hv, eq->nm);
        target_rows(list, OUT_E, eq->e, eq->ne);
        target_rows(list, OUT_GAM, eq->gam, eq->n0);
    }
    if (need & DFL_DIRECTIONS) {
        target_matrix(list, OUT_W, &eq->W, 0, nc);
        target_matrix(list, OUT_K0, &eq->K0, 0, eq->nv);
    }
    if (need & DFL_BIAS)
        target_rows(list, OUT_BIAS, eq->bias, nc);
}

static void target_mass(targets *list, const dfl_equations *eq)
{
    if (!eq->mass_diagonal) {
        target_matrix(list, 0, &eq->M, 0, eq->nv);
        return;
    }
    for (int k = 0; k < eq->M.count; k++)
        list->item[list->count++] = (dfl_target){eq->M.entry[k].expr, 0, eq->M.entry[k].row};
}

/* Output arrays: the fields of dfl_jacobian in their order. */
static void target_jacobian(targets *list, const dfl_equations *eq)
{
    const int nc = eq->nl + eq->nm;
    target_matrix(list, 0, &eq->Jd, 0, eq->nw);
    target_matrix(list, 1, &eq->Jacc, 0, nc);
    target_matrix(list, 2, &eq->Jvel, 0, nc + eq->ne);
    target_matrix(list, 3, &eq->Jgam, 0, eq->n0);
    target_matrix(list, 4, &eq->Jpos, 0, eq->ns + eq->nl + eq->nep);
    target_matrix(list, 5, &eq->Jb, 0, eq->nr);
    target_matrix(list, 6, &eq->Jdyn, 0, eq->nv);
    target_matrix(list, 7, &eq->Jkin, 0, eq->np);
}

static void target_declared(targets *list, const dfl_equations *eq, dfl_declared kind)
{
    for (int i = 0; i < eq->model->ndeclarations; i++) {
        const dfl_declaration *decl = &eq->model->declarations[i];
        if (decl->kind == kind)
            list->item[list->count++] = (dfl_target){decl->expr, 0, decl->index};
    }
}

static void target_scene(targets *list, const dfl_equations *eq)
{
    for (int i = 0; i < eq->model->nshapes; i++) {
        const dfl_shape *shape = &eq->model->shapes[i];
        for (int k = 0; k < shape->ncolumns; k++)
            if (!dfl_is_constant(eq->graph, shape->column[k])) {
                list->item[list->count] = (dfl_target){shape->column[k], 0, list->count};
                list->count++;
            }
    }
}

/* What depends on parameters, inputs and levels alone. */
static void prepare(dfl_runnable *run)
{
    const double *const in[DFL_IN_ARRAYS] = {
        [DFL_IN_PARAM] = run->param, [DFL_IN_INPUT] = run->input, [DFL_IN_LEVEL] = run->level};
    program *all[PROGRAMS];
    dfl_runnable_programs(all, run);
    for (int i = 0; i < PROGRAMS; i++)
        dfl_tape_prepare(all[i]->tape, all[i]->work, in);
}

static void evaluate(const program *prog, const dfl_runnable *run, double t, const double *x,
                     const double *a, double *const *out)
{
    const double *const in[DFL_IN_ARRAYS] = {&t, x, a, run->param, run->input, run->level};
    if (prog->native)
        prog->native(prog->work, in, out);
    else
        dfl_tape_eval(prog->tape, prog->work, in, out);
}

/* ------------------------------------------------------------------------------- callbacks */

/* Both structs consist of pointers only, so that their bytes are an array of them. */
enum { JACOBIAN_BLOCKS = 8 };
_Static_assert(sizeof(dfl_blocks) == OUT_BLOCKS * sizeof(double *), "fields of dfl_blocks");
_Static_assert(sizeof(dfl_jacobian) == JACOBIAN_BLOCKS * sizeof(double *),
               "fields of dfl_jacobian");

static void describe(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    run->eom = (dfl_eom){
        .np = eq->np,
        .nv = eq->nv,
        .nr = eq->nr,
        .nw = eq->nw,
        .ns = eq->ns,
        .nl = eq->nl,
        .nm = eq->nm,
        .ne = eq->ne,
        .nep = eq->nep,
        .n0 = eq->n0,
        .eval = eval,
        .mass = mass,
        .jacobian = eq->have_jacobians ? jacobian : NULL,
        .mass_diagonal = eq->mass_diagonal,
        .mass_constant = eq->mass_constant,
        .trivial_kinematics = eq->trivial_kinematics,
        .autonomous = eq->autonomous,
        .linear = eq->linear,
        .forces_free_of_multipliers = eq->forces_free_of_multipliers,
        .only_time = eq->n == 0,
        .name = name,
        .user = run,
    };
    run->initial = run->eom;
    run->initial.ne = run->initial.nep = 0;
    run->initial.eval = eval_initial;
    run->initial.jacobian = eq->have_jacobians ? jacobian_initial : NULL;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const dfl_runnable *run = user;
    double *arrays[OUT_BLOCKS]; /* the fields of dfl_blocks in their order */
    memcpy(arrays, out, sizeof arrays);
    if (need == run->full)
        evaluate(&run->all, run, t, x, NULL, arrays);
    for (int i = 0; need != run->full && i < SINGLE_BLOCKS; i++)
        if (need >> i & 1U)
            evaluate(&run->single[i], run, t, x, NULL, arrays);
    if (run->recursion && need & DFL_FORCE) {
        place_tree(run, t, x);
        dfl_recursion_forces(out->f, run->recursion);
    }
    return 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    const dfl_runnable *run = user;
    evaluate(&run->mass, run, t, x, NULL, &M);
    if (run->recursion) {
        place_tree(run, t, x);
        dfl_recursion_mass(M, run->recursion);
    }
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const dfl_runnable *run = user;
    double *arrays[JACOBIAN_BLOCKS]; /* the fields of dfl_jacobian in their order */
    memcpy(arrays, out, sizeof arrays);
    evaluate(&run->jacobian, run, t, x, a, arrays);
    if (run->recursion) {
        place_tree(run, t, x);
        dfl_recursion_slopes(out->dyn, run->recursion, a);
    }
    return 0;
}

/* The tree of bodies at the state, if the model has one. */
static void place_tree(const dfl_runnable *run, double t, const double *x)
{
    double *driven = run->driven;
    evaluate(&run->drives, run, t, x, NULL, &driven);
    dfl_recursion_place(run->recursion, x, driven);
}

/* Without invariants: their rows go to scratch. */
static int eval_initial(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const dfl_runnable *run = user;
    dfl_blocks blocks = *out;
    blocks.e = run->scratch;
    blocks.ep = run->scratch + run->eq->ne;
    return eval(&blocks, t, x, need, user);
}

static int jacobian_initial(dfl_jacobian *out, double t, const double *x, const double *a,
                            void *user)
{
    const dfl_runnable *run = user;
    const dfl_equations *eq = run->eq;
    const int nvel = eq->nl + eq->nm, npos = eq->ns + eq->nl;
    const int vel_columns = eq->nv + eq->ns + eq->np, pos_columns = eq->ns + eq->np;
    const int vel_size = (nvel + eq->ne) * vel_columns;
    const int pos_size = (npos + eq->nep) * pos_columns;
    dfl_jacobian blocks = *out;
    memset(run->scratch, 0, (size_t)(vel_size + pos_size) * sizeof *run->scratch);
    blocks.vel = run->scratch;
    blocks.pos = run->scratch + vel_size;
    const int rc = jacobian(&blocks, t, x, a, user);
    copy_rows(out->vel, nvel, blocks.vel, nvel + eq->ne, vel_columns);
    copy_rows(out->pos, npos, blocks.pos, npos + eq->nep, pos_columns);
    return rc;
}

/* The first nto rows of a matrix with nfrom rows. */
static void copy_rows(double *to, int nto, const double *from, int nfrom, int columns)
{
    for (int j = 0; j < columns; j++)
        memcpy(to + j * nto, from + j * nfrom, (size_t)nto * sizeof *to);
}

static const char *name(dfl_kind kind, int index, void *user)
{
    const dfl_equations *eq = ((const dfl_runnable *)user)->eq;
    const dfl_declaration *decl = eq->model->declarations;
    const int l = eq->nw, m = l + eq->nl, r = m + eq->nm, v = r + eq->nr, s = v + eq->nv,
              p = s + eq->ns;
    switch (kind) {
    case DFL_KIND_W:
    case DFL_ROW_D:
        return eq->x[index].name;
    case DFL_KIND_LAMBDA:
        return eq->x[l + index].name;
    case DFL_KIND_MU:
        return eq->x[m + index].name;
    case DFL_KIND_R:
    case DFL_ROW_B:
        return eq->x[r + index].name;
    case DFL_KIND_V:
    case DFL_ROW_F:
        return eq->x[v + index].name;
    case DFL_KIND_S:
    case DFL_ROW_C:
        return eq->x[s + index].name;
    case DFL_KIND_P:
    case DFL_ROW_KIN:
        return eq->x[p + index].name;
    case DFL_ROW_GII:
    case DFL_ROW_GI:
    case DFL_ROW_G:
        return decl[eq->declaration_of_row[index]].name;
    case DFL_ROW_HI:
    case DFL_ROW_HV:
        return decl[eq->declaration_of_row[eq->nl + index]].name;
    case DFL_ROW_E:
        return decl[eq->declaration_of_e[index]].name;
    case DFL_ROW_EP:
        return decl[eq->declaration_of_ep[index]].name;
    case DFL_ROW_GAM:
        return eq->x[v + eq->massless[index]].name;
    }
    return NULL;
}
