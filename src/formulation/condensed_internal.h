/* condensed_internal.h: what the files of the condensed system share (condensed.h). */
#ifndef DFL_CONDENSED_INTERNAL_H
#define DFL_CONDENSED_INTERNAL_H
#include "formulation/condensed.h"
#include "formulation/massless_joints.h"
#include "formulation/motion_blocks.h"
#include "formulation/sparse_form.h"

enum { DFL_CONDENSED_SETS = DFL_SPARSE_FACTORS - 1 };

/* Vectors of velocities and of constraints, lanes of 4. */
enum { C_TURNED, C_U, C_B, C_X, C_RIGHT, C_VECTORS };
enum { C_LEFT, C_ROWS, C_REST, C_REST_RIGHT, C_ALL, C_CONSTRAINTS };

struct dfl_condensed {
    dfl_sparse_form *form;
    dfl_massless_joints joints;
    dfl_motion_blocks motion;

    /* S(zeta) = zeta^2 mass + zeta damping + stiffness (condensed_matrix.c) */
    dfl_csc S;
    int *diagonal;                         /* entries of S */
    int *across;                           /* of each entry of S, its mirror image */
    int *at;                               /* entries that products of derivatives add to */
    int *P_start, *P_column, *P_kin, *P_T; /* positions by velocities with mass, P_kin NULL: as T */
    double *P, *mass, *damping, *stiffness;
    bool damped; /* forces depend on velocities */
    dfl_csc M;   /* of velocities with mass */
    double *M_value;
    int *M_at; /* of each entry of M: its entry in S */

    dfl_saddle_ldl *base;  /* of (B), (C); its order also serves the lumped (A) */
    dfl_saddle_ldl *whole; /* of (A), for its order; base if S has the pattern of M */
    dfl_lane_ldl *lanes[DFL_CONDENSED_SETS], *lumped[DFL_CONDENSED_SETS]; /* NULL: not needed yet */
    double *D[DFL_CONDENSED_SETS], *blocks[DFL_CONDENSED_SETS]; /* in lanes: S; its entries on M */
    bool lumpable, lumps;               /* factors of blocks may pay; the present ones are */
    double zeta[DFL_CONDENSED_SETS][3]; /* of each set: real, real part, imaginary part */
    int passes;                         /* of (A) and (B) */
    int sweeps;                         /* of (A): what is factored is nearly S */
    bool tried;                         /* these factors have solved a system */
    double *v[C_VECTORS], *c[C_CONSTRAINTS], *work;

    /* Residuals of one set, of the rows of sparse_form.h, and increments: in the lanes of all
       stages if these are a set, else in `taken` and `found`. While they are found, dv is w. */
    const double *dynamics, *kinematics, *forces, *acc, *vel, *pos;
    double *da, *lam, *dv, *dp, *taken, *found;
};

/* condensed_matrix.c */
dfl_status dfl_condensed_matrix_init(dfl_condensed *c);
void dfl_condensed_matrix_clear(dfl_condensed *c);

/* Numbers of mass, damping and stiffness from the last derivatives. */
void dfl_condensed_matrix_update(dfl_condensed *c);

/* D[set] := S in lanes. Returns how far it is from a symmetric matrix, relative to the diagonal. */
double dfl_condensed_matrix_shift(dfl_condensed *c, int set);

/* blocks[set] := the entries of S on the pattern of M. Returns a bound for what the others are,
   relative to these (the largest row sum, which is one if M is diagonal). */
double dfl_condensed_matrix_lump(dfl_condensed *c, int set);

/* condensed_solve.c: the increments of one set from its residuals. `doubtful`: the residual of (A)
   is checked. */
bool dfl_condensed_solve_set(dfl_condensed *c, int set, bool doubtful);

#endif
