/* equations.h: the general form, derived from a model's declarations, all as expressions.

       M a = f - W^T (l, m)            Lagrange's equations of T and V, plus masses and forces
       gI, bias                        total time derivatives along p' = kin, s' = sp, t' = 1
   with s' = -c_s^-1 (c_p kin + c_t) where there are contact variables. */
#ifndef DFL_EQUATIONS_H
#define DFL_EQUATIONS_H

#include "declare/declare.h"
#include "symbolic/symbolic.h"

typedef struct dfl_variable {
    char *name; /* x, der(x), lambda(rod), ... as in every result */
    dfl_expr symbol;
    int line;
} dfl_variable;

/* Massless directions of a tree of bodies: its own directions are the columns of K, and Y combines
   them into the directions that the constraints leave, K0 = K Y. See tree_directions.c. */
typedef struct dfl_directions {
    int all, held, left; /* columns of K, pivots of W K, columns of K0 */
    double *x;           /* n: around this state the tree has decided which directions it has */
    int *row, *column;   /* held */
    int *free;           /* left: the column of K that belongs to each column of K0 */
    int *group;          /* all: columns of K that depend on each other have the same number */
    bool *moved;         /* nv: velocities that K0 contains */
} dfl_directions;

/* The rows of the general form. */
typedef struct dfl_equation_rows {
    dfl_expr *kin;                     /* np */
    dfl_expr *f;                       /* nv */
    dfl_expr *b, *d, *c, *g, *gI, *hv; /* nr, nw, ns, nl, nl, nm */
    dfl_expr *e, *ep;                  /* ne, nep: expression - level */
    dfl_expr *gam;                     /* n0 */
    dfl_expr *bias;                    /* nl + nm */
} dfl_equation_rows;

/* Their derivatives, with the shapes of dfl_jacobian. */
typedef struct dfl_equation_jacobian {
    dfl_sparse d, acc, vel, gam, pos, b, dyn, kin;
} dfl_equation_jacobian;

/* Balances of forces along massless directions that are constraints (quasistatic.c). */
typedef struct dfl_balances {
    int count;
    int *velocity; /* count: what names them */
    dfl_expr *row; /* count */
} dfl_balances;

/* Directions without mass that no constraint holds. */
typedef struct dfl_light_directions {
    dfl_sparse K0;           /* nv x n0 */
    dfl_directions *tree;    /* a tree of bodies adds K0 and gam; or NULL */
    int *velocity;           /* n0 numbers of velocities: row k of gam has that name */
    int negligible;          /* a velocity with almost no mass, or -1 ... */
    double negligible_ratio; /* ... and its pivot as a part of its mass */
    bool none;               /* M at the start was enough to see that there are none */
    DFL_LIST(int) decided;   /* all that numbers have decided, one after another */
    dfl_balances balances;   /* those that have become constraints: they are to be derived again */
} dfl_light_directions;

/* What the solver may know about the rows. */
typedef struct dfl_equation_flags {
    bool mass_diagonal, mass_constant, trivial_kinematics, autonomous, forces_free_of_multipliers;
    bool linear; /* known where there are Jacobians */
} dfl_equation_flags;

typedef struct dfl_equations {
    dfl_model *model;
    dfl_graph *graph;
    int np, nv, nr, nw, ns, nl, nm, ne, nep, n0;
    int n;
    dfl_variable *x; /* n, in the order [w l m | r | v | s p] */
    dfl_expr *a;     /* nv: symbols of v' */
    dfl_equation_rows rows;
    dfl_sparse M; /* nv x nv, both triangles */
    dfl_sparse W; /* (nl+nm) x nv */
    dfl_light_directions massless;
    dfl_equation_jacobian jacobian;
    bool have_jacobians;
    struct dfl_equations *before; /* without the constraints that their derivation has declared, or
                                     NULL */
    dfl_equation_flags flags;
    struct dfl_placing *placing; /* of absolute coordinates at the start, or NULL */
    dfl_expr energy;             /* T + V, or DFL_NO_EXPR */
    struct {
        dfl_expr *drift, *push; /* ne+nep: the rate of an invariant; `push` by accelerations */
    } kept;
    struct {
        int *row;             /* nl + nm: of constraints; same numbers as rows of W */
        int *e, *ep;          /* of invariants */
    } declared;               /* numbers of the declarations */
    int *slot[DFL_SYM_KINDS]; /* symbol index -> place in x, a or the parameter array; -1 unused */
} dfl_equations;

/* Derives everything; `jacobians` also the derivatives. Failures name file and line. */
dfl_status dfl_equations_create(dfl_equations **out, dfl_model *model, bool jacobians);
void dfl_equations_free(dfl_equations *eq);

/* Derivatives of all rows by symbols of parameters or inputs, x and a held: as the Jacobians, each
   block with `count` columns. Free with dfl_equation_jacobian_clear, also after a failure. */
dfl_status dfl_equations_slopes(dfl_equation_jacobian *out, const dfl_equations *eq,
                                const dfl_expr *symbols, int count);
void dfl_equation_jacobian_clear(dfl_equation_jacobian *jacobian, dfl_context *ctx);

/* Whether two models have the same equations and outputs, expression by expression, numbers
   included. DFL_NO_MEMORY. */
dfl_status dfl_equations_same(bool *same, const dfl_equations *a, const dfl_equations *b);

/* The place of variable `name` in x, or -1. */
int dfl_equations_find(const dfl_equations *eq, const char *name);

/* The symbols of one kind of unknowns in the order of x: a pointer to the variables of x. */
const dfl_variable *dfl_equations_p(const dfl_equations *eq);
const dfl_variable *dfl_equations_v(const dfl_equations *eq);
const dfl_variable *dfl_equations_s(const dfl_equations *eq);

/* The number of a velocity's symbol within v, or -1. */
int dfl_equations_velocity(const dfl_equations *eq, dfl_expr symbol);

/* Whether the balance along massless directions, gam, contains symbols of these kinds (a mask). */
bool dfl_balance_depends(const dfl_equations *eq, unsigned kinds);

/* An array of expressions from the context. */
dfl_expr *dfl_exprs(const dfl_equations *eq, int count);

/* Writes the initial values of the script to their places in x, and to `held` (may be NULL) whether
   they are held; all other entries are unchanged. */
void dfl_equations_given(double *x, bool *held, const dfl_equations *eq);

/* *same: with the present values of parameters and starts, which have changed since, the equations
   would be derived alike. */
dfl_status dfl_equations_compare_masses(bool *same, dfl_equations *eq);

/* Sets absolute coordinates of bodies where their joints, whose coordinates are in x, put them
   (placing.c). */
void dfl_equations_place(double *x, const dfl_equations *eq);

#endif
