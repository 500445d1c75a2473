/* eom.h: the equations of motion as the integrator sees them.

   A dfl_system turns a user's dfl_eom into rows of the form (12) of GEOMS:

       block 1   d, gII, hI          determine w, l, m       (psi1: d only)
       block 2   gI, hv, gam, e      constrain v
       block 3   c, g, ep            constrain s, p
       dif       b, f_dyn, kin       r', M v', p'

   with f_dyn = f - W^T (l, m). Where M is diagonal, gII = W M^-1 f_dyn + bias. Otherwise the
   accelerations a (and slacks sigma of massless directions) are carried as leading unknowns with
   the rows  f_dyn - M a - K0 sigma = 0,  K0^T a = 0  in front of block 1: x = [a sigma | user's x].
   A formulation may ask for further leading unknowns, whose rows it forms itself. */
#ifndef DFL_EOM_MODULE_H
#define DFL_EOM_MODULE_H

#include "linalg/linalg.h"

#include <driftless/options.h>

/* The outcome of a computation within a step; unless a callback stops, a smaller step may help. */
typedef enum dfl_outcome {
    DFL_STEP_OK,
    DFL_STEP_RETRY,     /* a callback asked for a smaller step */
    DFL_STEP_NONFINITE, /* a callback returned NaN or Inf */
    DFL_STEP_SINGULAR,  /* a matrix is singular */
    DFL_STEP_RANK,      /* the rank of the constraints is not what it was */
    DFL_STEP_STOP       /* a callback asked to stop */
} dfl_outcome;

/* The last trouble, for the message when no smaller step helps. */
typedef struct dfl_trouble {
    dfl_outcome outcome;
    const char *callback; /* which one, or the name of `part` */
    dfl_failure part;     /* which equations are dependent or singular */
    double t;
    const char *matrix; /* non-finite: which matrix, or NULL for a row itself ... */
    dfl_kind kind;      /* ... and which row */
    int index;
} dfl_trouble;

/* What a formulation asks of the system; {0} is for the projected strangeness-free form. */
typedef struct dfl_requirements {
    bool carry;                    /* accelerations are always carried */
    bool bias;                     /* it is evaluated although no row contains it */
    int leading;                   /* unknowns of the formulation itself, before the user's ... */
    bool leading_a;                /* ... which begin with accelerations */
    int index_w, index_l, index_v; /* index of w, (l, m) and v, for norms; 0 means 1 */
} dfl_requirements;

typedef struct dfl_system {
    dfl_context *ctx;
    const dfl_eom *eom;
    bool psi1;                     /* block 1 has no acceleration level */
    bool geoms;                    /* f and bias are complete */
    bool carried;                  /* accelerations are unknowns, with their rows in block 1 */
    bool eliminated;               /* they are M^-1 f_dyn with diagonal M, for gII and hI */
    const dfl_sparsity *packed;    /* matrices contain nonzeros only (packed.c); NULL: dense */
    bool bare;                     /* constraint forces are to be subtracted from eval's f */
    dfl_requirements requirements; /* of the formulation */
    bool leading_a;                /* the first nv unknowns are accelerations */
    int na;             /* leading unknowns: carried ones, nv + n0 or 0, or the formulation's */
    int n;              /* unknowns, with the carried ones */
    int nu;             /* the user's unknowns, n - na */
    int n1, n2, n3, n4; /* columns: [a sigma w l m], r, v, [s p] */
    int m1, m2, m3;     /* rows of the algebraic blocks, all invariants included */
    int mdif;           /* nr + nv + np */
    int nc;             /* nl + nm */
    struct {
        int l, r, v, sp, p;
    } at; /* columns of x */
    struct {
        int d, acc, gam, e;
    } row; /* rows of alg; gI is at m1, c at m1 + m2 */
    struct {
        bool diagonal;   /* M is stored as a diagonal */
        bool constant;   /* M is a matrix that is the same everywhere */
        double *M;       /* the constant M, a matrix or a diagonal */
        double *inverse; /* of a constant diagonal M */
    } mass;
    struct {
        double *seed, *product; /* nv each: for products */
    } scratch;
    double rounding;                   /* of what eval computes, relative */
    const dfl_solver_options *options; /* for the tolerances of unknowns; NULL: none */
    const double *unit;                /* nu: the size of each unknown's kind, of velocities that
                                          of their positions; NULL: not known */
    unsigned need;                     /* request mask of a full evaluation */
    dfl_trouble trouble;
    const char *stopped; /* the first callback that asked to stop, or NULL */
    dfl_statistics *stats;
} dfl_system;

/* The values of all rows at one (t, x). */
typedef struct dfl_point {
    double t;
    double *x;   /* n: a copy */
    double *alg; /* m1 + m2 + m3 rows */
    double *dif; /* b, f_dyn, kin */
    double *a;   /* nv: accelerations, where block 1 has them */
    double *M;   /* mass matrix or diagonal; the system's own if constant */
    dfl_blocks blocks;
} dfl_point;

/* The user's blocks [d; acc; vel; gam; pos; b; dyn; kin] as one stack of rows, each from its
   first column on. */
enum { DFL_BLOCKS = 8 };
typedef struct dfl_stack {
    double *block[DFL_BLOCKS];
    int rows[DFL_BLOCKS], first_column[DFL_BLOCKS], height;
    long entries;
} dfl_stack;

/* Derivatives of all rows with respect to x, with their true sign. */
typedef struct dfl_rows_jacobian {
    double *J1; /* m1 x n */
    double *J2; /* m2 x n */
    double *J3; /* m3 x n4: blocks.pos */
    double *M;  /* nv x nv, or nv if diagonal */
    dfl_jacobian
        blocks; /* the user's blocks, one after another in `store`; those of dif as they are */
    double *store;
    dfl_stack stack;
    double *base, *column; /* the stacked rows, for differences */
    double *WM;            /* nc x nv: W M^-1 */
    int *group;            /* nu: columns of one group are differenced together; NULL: one by one */
    int ngroups;
    dfl_point scratch;
    double *x, *W; /* for differences: the moved state, and W at the reference */
    double *least; /* nu: |x| below this is differenced as this */
    bool coarse;   /* with large increments */
} dfl_rows_jacobian;

/* Derivatives of all rows with packed matrices. */
typedef struct dfl_packed_jacobian {
    dfl_jacobian blocks; /* nonzeros, one block after another in `store` */
    double *store;
    size_t entries;
    double *M;      /* nonzeros, or nv if diagonal */
    double *K0, *W; /* nonzeros; NULL: there are no massless rows */
} dfl_packed_jacobian;

/* Checks the description, or its sizes alone. DFL_INVALID with a message that names the field. */
dfl_status dfl_eom_check_sizes(dfl_context *ctx, const dfl_eom *eom);
dfl_status dfl_eom_check(dfl_context *ctx, const dfl_eom *eom);

/* Writes the name of a row or variable into `text`. */
void dfl_eom_name(char *text, size_t size, const dfl_eom *eom, dfl_kind kind, int index);

/* Creates the system, with the rounding of double; counters go to `stats`. The caller frees it also
   after a failure. */
dfl_status dfl_system_init(dfl_system *sys, dfl_context *ctx, const dfl_eom *eom, bool psi1,
                           dfl_statistics *stats);
void dfl_system_clear(dfl_system *sys);

/* Sets other requirements, and sizes for them, before anything is created for the system. */
void dfl_system_ask(dfl_system *sys, bool psi1, dfl_requirements requirements);

/* Decides at (t, x of the user) whether accelerations are carried or eliminated, and evaluates a
   constant M. Sets all sizes. DFL_SINGULAR if M must be positive definite and is not. */
dfl_status dfl_system_decide(dfl_system *sys, double t, const double *x, bool carry);

/* The units of unknowns from column `column` of x on, or NULL. */
static inline const double *dfl_system_units(const dfl_system *sys, int column)
{
    return sys->unit ? sys->unit + column - sys->na : NULL;
}

/* Points, with room for both decisions; dfl_point_bind lays them out after dfl_system_decide. */
dfl_status dfl_point_init(dfl_point *point, const dfl_system *sys);
void dfl_point_bind(dfl_point *point, const dfl_system *sys);
void dfl_point_clear(dfl_point *point, dfl_context *ctx);

/* Several points at equal distances in memory, which dfl_point_clear of the first one frees. */
dfl_status dfl_points_init(dfl_point *points, int count, const dfl_system *sys);
static inline long dfl_points_distance(const dfl_point *points, int count)
{
    return count > 1 ? (long)(points[1].x - points[0].x) : 0;
}

/* Evaluates all rows at (point->t, point->x). NaN and Inf are not looked for: Newton's increments
   show them. */
dfl_outcome dfl_system_eval(dfl_system *sys, dfl_point *point);

/* The second part of it, after dfl_system_call: f_dyn and the rows that combine blocks. */
dfl_outcome dfl_system_finish(dfl_system *sys, dfl_point *point);

/* Whether the second part is f_dyn, a = M^-1 f_dyn with a constant diagonal M and gII, hI = W a
   + bias: products that a formulation may form for all stages at once. */
static inline bool dfl_system_combines_in_lanes(const dfl_system *sys)
{
    return sys->eliminated && sys->bare && sys->mass.constant;
}

/* Calls eval for the blocks in `need` alone; with DFL_FORCE, f becomes f_dyn for the present (l,
   m), which takes W from this call or an earlier one. Neither M nor rows that combine blocks are
   evaluated. */
dfl_outcome dfl_system_eval_blocks(dfl_system *sys, dfl_point *point, unsigned need);

/* The rows of an evaluated point that combine blocks, from its x, f_dyn, W, bias, K0 and M. */
dfl_outcome dfl_system_combine(dfl_system *sys, dfl_point *point);

/* DFL_STEP_NONFINITE, with the first row that is not finite, or DFL_STEP_OK. */
dfl_outcome dfl_system_check_finite(dfl_system *sys, const dfl_point *point);

/* Both. */
dfl_outcome dfl_system_eval_checked(dfl_system *sys, dfl_point *point);

/* y = f_dyn - M v' at an evaluated point. */
dfl_outcome dfl_system_dynamics(double *y, dfl_system *sys, const dfl_point *point,
                                const double *vp);

/* y = M v at an evaluated point. */
dfl_outcome dfl_system_mass_product(double *y, dfl_system *sys, const dfl_point *point,
                                    const double *v);

/* Whether points hold M: it changes with the state, and the model gives no residual instead. */
static inline bool dfl_system_mass_at_points(const dfl_system *sys)
{
    return sys->eom->mass && !sys->eom->residual && !sys->mass.constant;
}

/* The mass matrix (or diagonal) at (t, x): by callback or column by column. */
dfl_outcome dfl_system_mass(double *M, dfl_system *sys, double t, const double *x);

/* The user's part of a row's name: the kind and index of row `row` of alg, or of dif. */
dfl_kind dfl_system_alg_kind(const dfl_system *sys, int row, int *index);
dfl_kind dfl_system_variable_kind(const dfl_system *sys, int column, int *index);

dfl_status dfl_rows_jacobian_init(dfl_rows_jacobian *jac, const dfl_system *sys);
void dfl_rows_jacobian_bind(dfl_rows_jacobian *jac, const dfl_system *sys);
void dfl_rows_jacobian_clear(dfl_rows_jacobian *jac, dfl_context *ctx);

/* All derivatives at (t, x), for accelerations `a` (nv, an approximation is enough). */
dfl_outcome dfl_system_jacobian(dfl_rows_jacobian *jac, dfl_system *sys, double t, const double *x,
                                const double *a);

/* ---- how rows change along a change of unknowns and of a parameter (tangent_rows.c) ---- */

/* Room for derivatives of all rows by `count` parameters, freed as out->d; and sets all to zero. */
dfl_status dfl_parameter_slopes_init(dfl_jacobian *out, const dfl_system *sys, int count);
void dfl_parameter_slopes_zero(dfl_jacobian *out, const dfl_system *sys, int count);
dfl_jacobian dfl_parameter_slopes_column(const dfl_jacobian *slopes, const dfl_system *sys,
                                         int column);

/* alg, dif and a of `out`: their change along out->x and, with it, of parameter `column`. No
   massless directions, whose rows K0^T a are not linearized. */
void dfl_rows_tangent(dfl_point *out, const dfl_rows_jacobian *jac, const dfl_system *sys,
                      const dfl_jacobian *slopes, int column);

/* dif and a alone */
void dfl_rates_tangent(dfl_point *out, const dfl_rows_jacobian *jac, const dfl_system *sys,
                       const dfl_jacobian *slopes, int column);

/* The same along a change of the parameter alone: alg (m1 + m2 + m3); and b, a and kin (mdif), with
   `momenta` f in place of a. */
void dfl_alg_by_parameter(double *alg, const dfl_rows_jacobian *jac, const dfl_system *sys,
                          const dfl_jacobian *slopes, int column);
void dfl_dif_by_parameter(double *dif, const dfl_rows_jacobian *jac, const dfl_system *sys,
                          const dfl_jacobian *slopes, bool momenta, int column);

/* The transpose: weights of alg, b, a and kin as weights of the user's blocks (one column each),
   and out (count) += weight^T slopes. */
void dfl_rows_weights(dfl_jacobian *out, const dfl_point *weight, const dfl_rows_jacobian *jac,
                      const dfl_system *sys);
void dfl_parameter_products(double *out, const dfl_jacobian *slopes, const dfl_jacobian *weight,
                            const dfl_system *sys, int count);

/* ---- packed matrices (packed.c) ---- */

/* The number of nonzeros of a pattern with this number of columns. */
static inline size_t dfl_pattern_entries(const dfl_pattern *pattern, int columns)
{
    return pattern->column_start ? (size_t)pattern->column_start[columns] : 0;
}

/* DFL_INVALID: patterns or callbacks do not suit packed matrices. */
dfl_status dfl_packed_check(dfl_context *ctx, const dfl_eom *eom);

/* The numbers of M and of W that a point holds. */
size_t dfl_system_mass_entries(const dfl_system *sys);
size_t dfl_system_W_entries(const dfl_system *sys);
size_t dfl_system_K0_entries(const dfl_system *sys);

/* y (nv) += factor K0 z; z (n0) := K0^T y; whether K0 moves velocity j. Also with dense K0. */
void dfl_system_add_along(double *y, const dfl_system *sys, const double *K0, double factor,
                          const double *z);
void dfl_system_take_along(double *z, const dfl_system *sys, const double *K0, const double *y);
bool dfl_system_is_massless(const dfl_system *sys, const double *K0, int j);

/* y (nv) -= W^T l; y (nc) += W a; y (nv) = M a; for packed matrices. */
void dfl_packed_subtract_forces(double *y, const dfl_system *sys, const double *W, const double *l);
void dfl_packed_add_rates(double *y, const dfl_system *sys, const double *W, const double *a);
void dfl_packed_mass_product(double *y, const dfl_system *sys, const double *M, const double *a);

dfl_status dfl_packed_jacobian_init(dfl_packed_jacobian *jac, const dfl_system *sys);
void dfl_packed_jacobian_clear(dfl_packed_jacobian *jac, dfl_context *ctx);

/* As dfl_system_jacobian. */
dfl_outcome dfl_system_packed_jacobian(dfl_packed_jacobian *jac, dfl_system *sys, double t,
                                       const double *x, const double *a);

/* Entry k of column j of W: *row and its value; the column has dfl_system_W_column entries. */
static inline int dfl_system_W_column(const dfl_system *sys, int j)
{
    const int *start = sys->packed ? sys->packed->W.column_start : NULL;
    return start ? start[j + 1] - start[j] : sys->nc;
}
static inline double dfl_system_W_entry(int *row, const dfl_system *sys, const double *W, int j,
                                        int k)
{
    if (!sys->packed) {
        *row = k;
        return W[(size_t)j * (size_t)sys->nc + (size_t)k];
    }
    const int at = sys->packed->W.column_start[j] + k;
    *row = sys->packed->W.row[at];
    return W[at];
}

/* out (nv, zero): row `row` of W. */
void dfl_system_W_row(double *out, const dfl_system *sys, const double *W, int row);

/* The size of each row of W (nc), the largest entry at x (n) or, if rows are short there, in a few
   positions around it; 0: it cannot be evaluated, or there is no W (GEOMS's contract). Overwrites
   `point`, whose x is `x` afterwards. */
void dfl_system_row_sizes(double *size, dfl_system *sys, dfl_point *point, const double *x);

/* The part of its size up to which row `row` of W may depend on others, and the largest one of the
   first `rows` rows. */
double dfl_allowed_misfit(const dfl_constraint_options *constraints, int row);
double dfl_largest_misfit(const dfl_constraint_options *constraints, int rows);

/* The size of the user's unknown j that its tolerance implies: atol_each[j]/rtol; 1 without
   atol_each, or if that follows sizes of which the model knows nothing. */
double dfl_system_told_size(const dfl_system *sys, int j);

/* The increment of a difference with respect to x, taken as `least` where it is smaller. */
double dfl_difference_increment(double rounding, double x, double least);

/* Fills jac->least at x of the user, where jac->W has been evaluated. */
void dfl_increments_choose(dfl_rows_jacobian *jac, const dfl_system *sys, const double *x);

/* All rows whose derivatives a dfl_jacobian has, in the order of its blocks, at (t, x) of the user.
 */
dfl_outcome dfl_system_stacked_rows(double *rows, dfl_system *sys, dfl_point *point, double t,
                                    const double *x, const double *a);

/* Fills jac->blocks by differences, without the callback. */
dfl_outcome dfl_system_differences(dfl_rows_jacobian *jac, dfl_system *sys, double t,
                                   const double *x, const double *a);

/* The first part of the self-check, before anything else calls `mass`: compares what it
   writes at (t, x) of the user with the flags of M. DFL_INVALID, DFL_NO_MEMORY. */
dfl_status dfl_system_check_mass(dfl_system *sys, double t, const double *x);

/* Compares jacobian, W, gI and bias with differences of what they come from, and the blocks that
   eval writes with the flags it is asked for: at point's (t, x), which need not be consistent, and
   at two states near it. Changes point->x. DFL_INVALID: names the first entry that disagrees, with
   both values. DFL_CALLBACK, DFL_NOT_FINITE, DFL_NO_MEMORY. */
dfl_status dfl_system_self_check(dfl_system *sys, dfl_rows_jacobian *jac, dfl_point *point,
                                 dfl_point *work);

/* Writes what was not finite at the last trouble, such as "f[3]" or "W, row gI[0]". */
void dfl_system_trouble_name(char *text, size_t size, const dfl_system *sys);

/* Records a trouble and returns its outcome. */
dfl_outcome dfl_system_trouble(dfl_system *sys, dfl_outcome outcome, const char *callback,
                               double t);

/* The same for a callback's return value other than 0: positive asks for a smaller step,
   negative to stop. */
dfl_outcome dfl_system_returned(dfl_system *sys, int rc, const char *callback, double t);

/* The same for a part of the equations, whose name becomes the callback's. */
dfl_outcome dfl_system_part_trouble(dfl_system *sys, dfl_outcome outcome, dfl_failure part,
                                    double t);

/* ---- the accelerations that belong to a state, M a = f - W^T (l, m) ---- */

/* a (nv) := M^-1 a, for M of order nv or, if `diagonal`, its nv diagonal entries. M may be the
   matrix of `factor`, which is overwritten. False: M is singular, and a is meaningless. */
bool dfl_mass_solve(double *a, dfl_factor *factor, const double *M, int nv, bool diagonal);

typedef struct dfl_accelerations dfl_accelerations;

/* Creates the workspace for a model; `eom` must outlive it. `singular`: M may be singular. */
dfl_status dfl_accelerations_create(dfl_accelerations **out, dfl_context *ctx, const dfl_eom *eom,
                                    bool singular);
void dfl_accelerations_free(dfl_accelerations *work);

/* a (nv) at (t, x), where f and W of `blocks` have been evaluated. False if M is singular or cannot
   be evaluated; a is then meaningless. */
bool dfl_accelerations_solve(double *a, dfl_accelerations *work, const dfl_blocks *blocks, double t,
                             const double *x);

/* How the balance of massless directions changes: 0 = rows a + drift, both for gam' = 0. */
typedef struct dfl_balance_rate {
    const double *rows;  /* n0 x nv */
    const double *drift; /* n0 */
} dfl_balance_rate;

/* As dfl_accelerations_solve, for a singular M (create with `singular`). Along massless
   directions a follows from W a = -bias and gam' = 0; `rate` may be NULL if n0 is 0. Components
   that no equation determines are NAN; if an input is not finite, all are. */
void dfl_accelerations_complete(double *a, dfl_accelerations *work, const dfl_blocks *blocks,
                                const dfl_balance_rate *rate, double t, const double *x);

/* ... by eval_points; at most DFL_MOST_POINTS. */
enum { DFL_MOST_POINTS = 8 };
dfl_outcome dfl_system_call_points(dfl_system *sys, dfl_point *points, int count);

/* The first part of dfl_system_eval, for several points: calls eval, and mass where it varies.
   Inline, since it is part of every iteration. */
static inline dfl_outcome dfl_system_call(dfl_system *sys, dfl_point *points, int count)
{
    const dfl_eom *eom = sys->eom;
    const dfl_eval_fn eval = eom->eval;
    const int na = sys->na;
    const unsigned need = sys->need;
    void *const user = eom->user;
    int k = 0, rc = 0;
    if (eom->eval_points && count > 1)
        return dfl_system_call_points(sys, points, count);
    for (dfl_point *point = points; !rc && k < count; k++, point++)
        rc = eval(&point->blocks, point->t, point->x + na, need, user);
    sys->stats->evaluations += k;
    if (rc)
        return dfl_system_returned(sys, rc, "eval", points[k - 1].t);
    dfl_outcome outcome = DFL_STEP_OK;
    for (k = 0; dfl_system_mass_at_points(sys) && !outcome && k < count; k++)
        outcome = dfl_system_mass(points[k].M, sys, points[k].t, points[k].x + na);
    return outcome;
}

#endif
