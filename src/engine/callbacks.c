/* callbacks.c: the callbacks of dfl_eom on top of the programs of a model. */
#include "engine/engine_internal.h"

#include <string.h>

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
/* Several states in lanes; those of a model with switches settle their branches one by one. */
static int eval_points(dfl_blocks *const *out, const double *t, const double *const *x, int count,
                       unsigned need, void *user)
{
    dfl_runnable *run = user;
    const bool at_once = need == run->full && !run->all.native && !run->tree &&
                         run->branching.tables->nswitches == 0;
    int rc = 0;
    for (int k = 0; !at_once && !rc && k < count; k++)
        rc = eval(out[k], t[k], x[k], need, user);
    for (int k = 0; at_once && k < count; k += DFL_TAPE_LANES)
        dfl_runnable_evaluate_lanes(out + k, run, t + k, x + k,
                                    count - k < DFL_TAPE_LANES ? count - k : DFL_TAPE_LANES);
    return rc;
}

static int eval_points(dfl_blocks *const *out, const double *t, const double *const *x, int count,
                       unsigned need, void *user);
static int mass(double *M, double t, const double *x, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static const char *name(dfl_kind kind, int index, void *user);

void dfl_runnable_describe(dfl_runnable *run)
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
        .mass_diagonal = eq->flags.mass_diagonal,
        .mass_constant = eq->flags.mass_constant,
        .trivial_kinematics = eq->flags.trivial_kinematics,
        .autonomous = eq->flags.autonomous,
        .linear = eq->flags.linear,
        .forces_free_of_multipliers = eq->flags.forces_free_of_multipliers,
        .only_time = eq->n == 0,
        .name = name,
        .sparsity = run->packed ? &run->sparsity : NULL,
        .structure = run->bodies ? &run->structure : NULL,
        .user = run,
        .eval_points = run->lanes ? eval_points : NULL,
    };
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    dfl_runnable *run = user;
    dfl_runnable_follow(run, t, x);
    double *arrays[OUT_BLOCKS]; /* the fields of dfl_blocks in their order */
    memcpy(arrays, out, sizeof arrays);
    if (need == run->full)
        dfl_runnable_evaluate(&run->all, run, t, x, NULL, arrays);
    for (int i = 0; need != run->full && i < SINGLE_BLOCKS; i++)
        if (need >> i & 1U)
            dfl_runnable_evaluate(&run->single[i], run, t, x, NULL, arrays);
    return run->tree ? dfl_tree_engine_eval(out, run->tree, t, x, need) : 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    dfl_runnable *run = user;
    dfl_runnable_follow(run, t, x);
    dfl_runnable_evaluate(&run->mass, run, t, x, NULL, &M);
    if (run->tree)
        dfl_tree_engine_mass(M, run->tree, t, x);
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    dfl_runnable *run = user;
    dfl_runnable_follow(run, t, x);
    double *arrays[JACOBIAN_BLOCKS]; /* the fields of dfl_jacobian in their order */
    memcpy(arrays, out, sizeof arrays);
    dfl_runnable_evaluate(&run->jacobian, run, t, x, a, arrays);
    return run->tree ? dfl_tree_engine_jacobian(out, run->tree, t, x, a) : 0;
}

static const char *name(dfl_kind kind, int index, void *user)
{
    const dfl_equations *eq = ((const dfl_runnable *)user)->eq;
    const dfl_declaration *decl = eq->model->declarations.item;
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
        return decl[eq->declared.row[index]].name;
    case DFL_ROW_HI:
    case DFL_ROW_HV:
        return decl[eq->declared.row[eq->nl + index]].name;
    case DFL_ROW_E:
        return decl[eq->declared.e[index]].name;
    case DFL_ROW_EP:
        return decl[eq->declared.ep[index]].name;
    case DFL_ROW_GAM:
        return eq->x[v + eq->massless.velocity[index]].name;
    }
    return NULL;
}
