/* driftless/eom.h: the equations of motion in general form, as a plain struct of sizes and
   callbacks.

   Unknowns x = [w l m | r | v | s p] (in this order, l = lambda, m = mu) and equations

       p' = Z(p) v                             kinematics; np > nv is allowed (quaternions)
       M(p,t) a = f(x,t) - W^T (l, m)          dynamics, a = v', W = [GZ; HZ]
       r' = b(x,t)                             dynamic force elements
       0  = d(x,t)                             auxiliary variables w
       0  = c(p,s,t)                           contact variables s
       0  = g(p,s,t)                           holonomic constraints, multipliers l
       0  = hv = H Z v + h                     nonholonomic constraints, multipliers m
       0  = e(p,v,s,t), 0 = ep(p,s,t)          known invariants of the solution, without multipliers
       0  = gam = K0^T f                       balance along massless directions K0 (usually n0 = 0)

   and the hidden constraints, which the model provides as well:

       gI  = G Z v + g_t  (with s = s(p,t) when ns > 0: total derivatives)
       0   = W a + bias(p,v,s,t)               the rows gII (holonomic), then hI (nonholonomic)

   All matrices are column-major. All numbers are in one consistent system of units. */
#ifndef DFL_EOM_H
#define DFL_EOM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which blocks `eval` is asked for. */
enum {
    DFL_KINEMATICS = 1 << 0, /* kin */
    DFL_FORCE = 1 << 1,      /* f */
    DFL_DYNAMIC = 1 << 2,    /* b */
    DFL_AUXILIARY = 1 << 3,  /* d */
    DFL_POSITION = 1 << 4,   /* c, g, ep */
    DFL_VELOCITY = 1 << 5,   /* gI, hv, e, gam */
    DFL_DIRECTIONS = 1 << 6, /* W, K0 */
    DFL_BIAS = 1 << 7,       /* bias */
    DFL_EVERYTHING = (1 << 8) - 1
};

/* What `eval` writes. Every array has room for its block. W and K0 are zero before the first call
   and keep what was written, so entries that are always zero need not be written; the other blocks
   must be written completely. */
typedef struct dfl_blocks {
    double *kin;  /* np: Z(p) v */
    double *f;    /* nv: forces without constraint forces (GEOMS contract: with them) */
    double *b;    /* nr */
    double *d;    /* nw */
    double *c;    /* ns */
    double *g;    /* nl */
    double *ep;   /* nep */
    double *gI;   /* nl */
    double *hv;   /* nm */
    double *e;    /* ne */
    double *gam;  /* n0 */
    double *W;    /* (nl+nm) x nv: the rows of GZ, then the rows of HZ */
    double *K0;   /* nv x n0: spans the part of ker M that W does not hold */
    double *bias; /* nl+nm: of gII, then of hI (GEOMS contract: gII and hI themselves) */
} dfl_blocks;

/* Writes the blocks named in `need`. Returns 0 on success, > 0 if the state lies outside the
   model's domain and a smaller step may help, < 0 to stop the computation. NaN or Inf in a block is
   treated like a positive return value. */
typedef int (*dfl_eval_fn)(dfl_blocks *out, double t, const double *x, unsigned need, void *user);

/* The same at `count` times and states: out[k], t[k], x[k] are those of state k. */
typedef int (*dfl_eval_points_fn)(dfl_blocks *const *out, const double *t, const double *const *x,
                                  int count, unsigned need, void *user);

/* Writes M(p,t), nv x nv, or its nv diagonal entries if `mass_diagonal`. Zeroed before the call. */
typedef int (*dfl_mass_fn)(double *M, double t, const double *x, void *user);

/* y = M(p,t) a, or y = M(p,t) a - f(x,t) for `residual`: for models without a mass matrix, such as
   recursions. */
typedef int (*dfl_mass_times_fn)(double *y, double t, const double *x, const double *a, void *user);

/* Derivatives of the rows with respect to columns of x, `a` held fixed, with their true sign.
   All blocks are zeroed before the call. */
typedef struct dfl_jacobian {
    double *d;   /* nw x n */
    double *acc; /* (nl+nm) x n:  of W a + bias (GEOMS contract: of gII, hI) */
    double *vel; /* (nl+nm+ne) x (nv+ns+np): of gI, hv, e with respect to v, s, p */
    double *gam; /* n0 x n */
    double *pos; /* (ns+nl+nep) x (ns+np): of c, g, ep with respect to s, p */
    double *b;   /* nr x n */
    double *dyn; /* nv x n:  of f - W^T (l,m) - M a (GEOMS contract: of f) */
    double *kin; /* np x (nv+ns+np): of Z(p) v with respect to v, s, p */
} dfl_jacobian;

typedef int (*dfl_jacobian_fn)(dfl_jacobian *out, double t, const double *x, const double *a,
                               void *user);

/* How switching function `function` changes at (t, x): *rate with time, if x changes with rates xp
   (n); slope (count) with the parameters, if x changes with them by X (n x count). Returns 0;
   anything else stops. */
typedef int (*dfl_crossing_fn)(double *rate, double *slope, int function, double t, const double *x,
                               const double *xp, const double *X, void *user);

/* What events have done in the last call of switches.flip, again, from (t, change->x): the same
   events act, branches stay as they are now. memory: on entry how far its numbers differ from those
   before that call, on return these numbers. Returns 0; anything else stops. */
struct dfl_change;
typedef int (*dfl_repeat_fn)(struct dfl_change *change, double *memory, double t, void *user);

/* Parameter `which` has its own value plus `by` from now on. Returns 0; anything else stops. */
typedef int (*dfl_move_fn)(int which, double by, void *user);

/* The branches and the memory of the model as bytes, and back: it then evaluates as it did when
   they were kept. Returns 0; anything else stops. */
typedef int (*dfl_keep_fn)(void *bytes, void *user);
typedef int (*dfl_recall_fn)(const void *bytes, void *user);

/* Adds products of the slopes of all rows, by parameters and then by the memory, with weights of
   the rows: out ((count + nmemory) x nof) += slopes^T weight, where `weight` has one column for
   each of nof objectives. */
typedef int (*dfl_products_fn)(double *out, const dfl_jacobian *weight, int nof, double t,
                               const double *x, const double *a, void *user);

/* The parameters of a model. `slopes`: derivatives of its rows, x and a held fixed, as a
   dfl_jacobian_fn, but each block has one column per parameter; all blocks are zeroed before the
   call. `size`: of each parameter, such as its value. A change of the state by less than its
   tolerance, when the parameter changes by its size, is nothing. Without `move`, runs end where the
   state jumps. */
typedef struct dfl_parameters {
    int count;
    dfl_jacobian_fn slopes;   /* NULL: the rows depend on none of them, only the start does */
    dfl_jacobian_fn by_time;  /* the same by time, one column; NULL: the rows do not contain it */
    dfl_crossing_fn crossing; /* NULL: there are no switching functions */
    const double *size;       /* count; NULL: 1 */
    dfl_move_fn move;
    dfl_repeat_fn repeat; /* NULL: no event acts */
    int nmemory;          /* numbers that events change, and that the rows contain ... */
    double *memory;       /* ... with their derivatives, nmemory x count, written by the solver */
    size_t kept_size;     /* for sweeps backwards (dfl_solver_record): bytes of ... */
    dfl_keep_fn keep;     /* ... the model's branches and memory; NULL: it has none */
    dfl_recall_fn recall;
    dfl_products_fn products; /* NULL: with `slopes`, if there is no memory */
    void *user;
} dfl_parameters;

/* The nonzeros of the stacked rows [d; acc; vel; gam; pos; b; dyn; kin] by columns of x (compressed
   columns, row numbers ascending). It groups columns for differences, so that a sparse model
   needs few evaluations. */
typedef struct dfl_pattern {
    const int *column_start; /* n+1 */
    const int *row;          /* column_start[n] */
} dfl_pattern;

/* The nonzeros of all matrices of a large model, by columns. With it (dfl_eom.sparsity) `eval`,
   `mass` and `jacobian` write nonzeros only, in the order of these patterns: W and M (unless
   diagonal) have column_start[nv] numbers, and so on. Such a model is integrated with sparse
   matrices, in the form psf. It needs `jacobian`, the native contract, and `mass` unless M is the
   identity. */
typedef struct dfl_sparsity {
    dfl_pattern W;                             /* nc = nl+nm rows, nv columns */
    dfl_pattern M;                             /* nv x nv, symmetric; {0} if M is diagonal */
    dfl_pattern d, acc, vel, pos, b, dyn, kin; /* rows and columns as in dfl_jacobian; kin {0} with
                                              trivial_kinematics */
    dfl_pattern K0, gam;                       /* nv x n0, n0 x n; {0} without massless rows */
    const bool *uncounted; /* nc, or NULL: constraints whose multipliers do not count in the minimum
                              norm of those that redundant constraints leave undetermined */
    const bool *following; /* n, or NULL: positions and velocities that follow from others by the
                              uncounted constraints; a start does not keep them near the guess */
} dfl_sparsity;

/* A body owns velocities first_v .. first_v+nv-1 and positions first_p .. first_p+np-1. */
typedef struct dfl_body {
    int first_v, nv, first_p, np;
} dfl_body;

/* Rows first_row .. first_row+rows-1 of W act between the listed bodies. */
typedef struct dfl_constraint_block {
    int first_row, rows;
    int nbodies;
    const int *bodies;
} dfl_constraint_block;

/* Writes `nsides` functions of positions that distinguish the right solution of the constraints
   from mirrored ones: 1 at the right one, at most 0 at the others. Returns 0, or anything else if
   it cannot. */
typedef int (*dfl_side_fn)(double *value, double t, const double *x, void *user);

/* What a model knows about its own structure; every part may be left out. */
typedef struct dfl_structure {
    int nbodies;
    const dfl_body *bodies;
    int nblocks;
    const dfl_constraint_block *blocks;
    const dfl_pattern *pattern;

    /* For initial values, unless the conditions of a start have sides of their own. */
    int nsides;
    dfl_side_fn side;
    const char *const *side_names; /* for messages; NULL means numbers */
} dfl_structure;

/* Kinds of rows and variables, for names in messages. */
typedef enum dfl_kind {
    DFL_KIND_W,
    DFL_KIND_LAMBDA,
    DFL_KIND_MU,
    DFL_KIND_R,
    DFL_KIND_V,
    DFL_KIND_S,
    DFL_KIND_P,
    DFL_ROW_D,
    DFL_ROW_GII,
    DFL_ROW_HI,
    DFL_ROW_GI,
    DFL_ROW_HV,
    DFL_ROW_E,
    DFL_ROW_GAM,
    DFL_ROW_C,
    DFL_ROW_G,
    DFL_ROW_EP,
    DFL_ROW_B,
    DFL_ROW_F,
    DFL_ROW_KIN
} dfl_kind;

/* The letters of a kind: "lambda", "gII", "kin"; never NULL. */
const char *dfl_kind_name(dfl_kind kind);

/* A name for row or variable `index` of its kind, or NULL for the default such as "g[3]". */
typedef const char *(*dfl_name_fn)(dfl_kind kind, int index, void *user);

/* The native contract is described above. In the contract of the Fortran code GEOMS, f contains the
   constraint forces and `bias` holds gII and hI with the accelerations already eliminated; W and
   K0 are not asked for. */
typedef enum dfl_contract { DFL_NATIVE, DFL_GEOMS } dfl_contract;

/* A model. `{0}` plus sizes and `eval` is complete: M is then the identity. */
/* How large the unknowns are: the absolute tolerances of a solver that is given none follow from
   it. Unknowns of one kind have one unit, so the sizes of all at the start serve each. A velocity
   has the kind, and the size, of the positions whose rate it is. Entries of multipliers are not
   read. */
enum { DFL_NO_KIND = -1, DFL_KIND_ONE = 0 };
typedef struct dfl_sizes {
    const int *kind;    /* n: 1 to n: numbers of kinds; DFL_KIND_ONE: a number without unit, such as
                           an angle; DFL_NO_KIND: nothing is known */
    const double *size; /* n: a size of the model's own, such as a length or 1 rad; 0: unknown */
} dfl_sizes;

typedef struct dfl_eom {
    int np, nv, nr, nw, ns, nl, nm; /* sizes of the unknowns */
    int ne, nep, n0;                /* invariants of v, invariants of p, massless rows */

    dfl_eval_fn eval;
    dfl_mass_fn mass;
    dfl_mass_times_fn mass_times; /* instead of mass and residual */
    dfl_mass_times_fn residual;   /* M a - f; then f is never asked for from `eval`, and `mass`, if
                                     given, only for matrices (otherwise nv residuals each) */
    dfl_jacobian_fn jacobian;     /* NULL: differences */

    dfl_contract contract;
    bool mass_diagonal;      /* `mass` writes nv diagonal entries */
    bool mass_constant;      /* M is constant: evaluated once */
    bool trivial_kinematics; /* p' = v (np = nv): kin is never asked for */
    bool autonomous;         /* no block depends on t (checked by the self-check) */
    bool linear;             /* all rows are affine in x and v', with coefficients that depend on t
                                alone (checked by the self-check): one Newton iteration per step */
    bool no_bias;            /* `bias` is not available; only psi1, eom, eom2 and ggl can be used */
    bool forces_free_of_multipliers; /* f, b, d do not depend on l, m: fewer differences */
    bool only_time; /* all sizes are 0 on purpose: steps, outputs and events are functions of t */

    dfl_name_fn name;   /* may be NULL */
    const char *failed; /* for messages: the callback behind eval, mass or jacobian that failed or
                           wrote NaN in the last call of them; NULL: none */
    const dfl_structure *structure; /* may be NULL */
    const dfl_sparsity *sparsity;   /* NULL: all matrices are dense */
    const dfl_sizes *sizes;         /* may be NULL: nothing is known of any unknown */
    void *user;
    dfl_eval_points_fn eval_points; /* may be NULL: `eval` at one state after another. If that is
                                       not faster, leave it out */
} dfl_eom;

/* The number of unknowns, n = nw+nl+nm + nr + nv + ns+np; -1 if one of these sizes is negative or
   above 100000, which dfl_solver_create refuses. */
int dfl_eom_unknowns(const dfl_eom *eom);

/* Offsets of the parts of x; all -1 if the sizes are out of range. */
typedef struct dfl_layout {
    int w, lambda, mu, r, v, s, p, n;
} dfl_layout;
dfl_layout dfl_eom_layout(const dfl_eom *eom);

#ifdef __cplusplus
}
#endif
#endif
