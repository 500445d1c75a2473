/* model.c: the problem's functions as callbacks of the model.

   Every result is checked: a block that is missing or has another size ends the run with a
   message that names it. What a function raises ends the run as well; the error itself is kept
   in the gateway. */
#include "geoms_mex.h"

#include "context/context.h"

#include <string.h>

enum { BLOCKS = 14, DERIVATIVES = 8 };

/* A block of eval or a derivative. */
typedef struct block_shape {
    const char *name;
    unsigned need; /* flag of dfl_eval_fn */
    int rows, columns;
    double *out;
} block_shape;

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int mass(double *M, double t, const double *x, void *user);
static int mass_times(double *y, double t, const double *x, const double *a, void *user);
static int residual(double *y, double t, const double *x, const double *a, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static mxArray *need_struct(geoms_run *run, unsigned need);
static bool take_blocks(geoms_run *run, const mxArray *result, const char *function,
                        const block_shape *blocks, int count, unsigned need);
static bool missing_block(geoms_run *run, const mxArray *result, const char *function,
                          const block_shape *blocks, int count, const char *name);
static bool take_matrix(double *out, geoms_run *run, mxArray *result, const char *function,
                        int rows, int columns);

void geoms_set_model(geoms_run *run)
{
    const geoms_given *given = &run->given;
    run->eom.user = run;
    run->eom.eval = eval;
    run->eom.mass = given->mass ? mass : NULL;
    run->eom.mass_times = given->mass_times ? mass_times : NULL;
    run->eom.residual = given->residual ? residual : NULL;
    run->eom.jacobian = given->jacobian ? jacobian : NULL;
}

mxArray *geoms_call(geoms_run *run, const mxArray *f, double t, const double *x, int nmore,
                    mxArray **more)
{
    mxArray *in[4] = {mxCreateDoubleScalar(t), gateway_vector(x, run->n)}, *out = NULL;
    for (int i = 0; i < nmore; i++)
        in[2 + i] = more[i];
    const bool good = gateway_call(&out, 1, &run->gw, f, 2 + nmore, in);
    for (int i = 0; i < 2 + nmore; i++)
        mxDestroyArray(in[i]);
    return good ? out : NULL;
}

bool geoms_call_vector(double *out, geoms_run *run, const mxArray *f, const char *name, double t,
                       const double *x, int count)
{
    mxArray *result = geoms_call(run, f, t, x, 0, NULL);
    return result && take_matrix(out, run, result, name, count, 1);
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    geoms_run *run = user;
    const dfl_eom *e = &run->eom;
    const int nc = e->nl + e->nm;
    const block_shape blocks[BLOCKS] = {
        {"kin", DFL_KINEMATICS, e->np, 1, out->kin},   {"f", DFL_FORCE, e->nv, 1, out->f},
        {"b", DFL_DYNAMIC, e->nr, 1, out->b},          {"d", DFL_AUXILIARY, e->nw, 1, out->d},
        {"c", DFL_POSITION, e->ns, 1, out->c},         {"g", DFL_POSITION, e->nl, 1, out->g},
        {"ep", DFL_POSITION, e->nep, 1, out->ep},      {"gI", DFL_VELOCITY, e->nl, 1, out->gI},
        {"hv", DFL_VELOCITY, e->nm, 1, out->hv},       {"e", DFL_VELOCITY, e->ne, 1, out->e},
        {"gam", DFL_VELOCITY, e->n0, 1, out->gam},     {"W", DFL_DIRECTIONS, nc, e->nv, out->W},
        {"K0", DFL_DIRECTIONS, e->nv, e->n0, out->K0}, {"bias", DFL_BIAS, nc, 1, out->bias}};
    mxArray *in[3] = {mxCreateDoubleScalar(t), gateway_vector(x, run->n), NULL}, *result = NULL;
    if (run->takes_need)
        in[2] = need_struct(run, need);
    bool good = gateway_call(&result, 1, &run->gw, run->given.eval, run->takes_need ? 3 : 2, in) &&
                take_blocks(run, result, "eval", blocks, BLOCKS, need);
    mxDestroyArray(in[0]);
    mxDestroyArray(in[1]);
    if (result)
        mxDestroyArray(result);
    return good ? 0 : -1;
}

/* need.position, need.force, ...: what the result must contain. */
static mxArray *need_struct(geoms_run *run, unsigned need)
{
    static const char *const names[] = {"kinematics", "force",    "dynamic",    "auxiliary",
                                        "position",   "velocity", "directions", "bias"};
    if (!run->needs[need]) {
        run->needs[need] = gateway_record();
        for (int i = 0; i < 8; i++)
            gateway_set(run->needs[need], names[i], mxCreateLogicalScalar(need >> i & 1));
    }
    return run->needs[need];
}

static bool take_blocks(geoms_run *run, const mxArray *result, const char *function,
                        const block_shape *blocks, int count, unsigned need)
{
    char why[GATEWAY_WHY];
    if (!mxIsStruct(result) || mxGetNumberOfElements(result) != 1)
        return gateway_wrong(&run->gw, "problem.%s returns %s; it must return a struct of blocks",
                             function, mxGetClassName(result));
    for (int i = 0; i < count; i++) {
        const block_shape *block = &blocks[i];
        if (!(need & block->need) || block->rows == 0 || block->columns == 0)
            continue;
        const mxArray *value = mxGetField(result, 0, block->name);
        if (!value)
            return missing_block(run, result, function, blocks, count, block->name);
        if (!gateway_copy(block->out, why, value, block->rows, block->columns))
            return gateway_wrong(&run->gw, "the block %s that problem.%s returns %s", block->name,
                                 function, why);
    }
    return true;
}

/* The nearest name among the fields that are no block may be what was meant. */
static bool missing_block(geoms_run *run, const mxArray *result, const char *function,
                          const block_shape *blocks, int count, const char *name)
{
    const char *nearest = NULL;
    int best = 0;
    for (int i = 0; i < mxGetNumberOfFields(result); i++) {
        const char *other = mxGetFieldNameByNumber(result, i);
        bool block = false;
        for (int k = 0; k < count; k++)
            block = block || !strcmp(blocks[k].name, other);
        if (!block && dfl_nearer_word(&best, name, other))
            nearest = other;
    }
    if (nearest)
        return gateway_wrong(&run->gw, "problem.%s returns no block %s; did you mean it by %s?",
                             function, name, nearest);
    return gateway_wrong(&run->gw, "problem.%s returns no block %s, which this problem needs",
                         function, name);
}

/* Takes a matrix of numbers and destroys the array. */
static bool take_matrix(double *out, geoms_run *run, mxArray *result, const char *function,
                        int rows, int columns)
{
    char why[GATEWAY_WHY];
    const bool good = gateway_copy(out, why, result, rows, columns);
    if (!good)
        gateway_wrong(&run->gw, "what %s returns %s", function, why);
    mxDestroyArray(result);
    return good;
}

static int mass(double *M, double t, const double *x, void *user)
{
    geoms_run *run = user;
    const int nv = run->eom.nv, columns = run->eom.mass_diagonal ? 1 : nv;
    const bool function = gateway_is_function(run->given.mass);
    mxArray *result = function ? geoms_call(run, run->given.mass, t, x, 0, NULL)
                               : mxDuplicateArray(run->given.mass);
    return result && take_matrix(M, run, result, "problem.mass", nv, columns) ? 0 : -1;
}

static int call_with_acceleration(double *y, geoms_run *run, const mxArray *f, const char *name,
                                  double t, const double *x, const double *a)
{
    mxArray *more[1] = {gateway_vector(a, run->eom.nv)};
    mxArray *result = geoms_call(run, f, t, x, 1, more);
    return result && take_matrix(y, run, result, name, run->eom.nv, 1) ? 0 : -1;
}

static int mass_times(double *y, double t, const double *x, const double *a, void *user)
{
    geoms_run *run = user;
    return call_with_acceleration(y, run, run->given.mass_times, "problem.mass_times", t, x, a);
}

static int residual(double *y, double t, const double *x, const double *a, void *user)
{
    geoms_run *run = user;
    return call_with_acceleration(y, run, run->given.residual, "problem.residual", t, x, a);
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    geoms_run *run = user;
    const dfl_eom *e = &run->eom;
    const int n = run->n, nc = e->nl + e->nm, later = e->nv + e->ns + e->np;
    const int acc = e->no_bias || run->options.form == DFL_PSI1 ? 0 : nc;
    const block_shape blocks[DERIVATIVES] = {
        {"d", 1, e->nw, n, out->d},
        {"acc", 1, acc, n, out->acc},
        {"vel", 1, nc + e->ne, later, out->vel},
        {"gam", 1, e->n0, n, out->gam},
        {"pos", 1, e->ns + e->nl + e->nep, e->ns + e->np, out->pos},
        {"b", 1, e->nr, n, out->b},
        {"dyn", 1, e->nv, n, out->dyn},
        {"kin", 1, e->trivial_kinematics ? 0 : e->np, later, out->kin}};
    mxArray *more[1] = {gateway_vector(a, a ? e->nv : 0)};
    mxArray *result = geoms_call(run, run->given.jacobian, t, x, 1, more);
    if (!result)
        return -1;
    const bool good = take_blocks(run, result, "jacobian", blocks, DERIVATIVES, 1);
    mxDestroyArray(result);
    return good ? 0 : -1;
}
