/* massless_joints.h: velocities without mass, eliminated together with rows of constraints.

   Joint coordinates of mechanisms with absolute coordinates have no mass; a few rows of W contain
   them. In such a group of rows Q^T W = [R B1; 0 B2] with orthogonal Q (massless velocities first):
   the velocities are R^-1 (upper part - B1 v) = T v + ..., and the rows B2 remain. So there are T
   (all velocities by those with mass) and W of the remaining rows, both sparse. Vectors are lanes
   of 4. */
#ifndef DFL_MASSLESS_JOINTS_H
#define DFL_MASSLESS_JOINTS_H
#include "formulation/formulation_internal.h"
#include "formulation/set_products.h"

/* The beginnings of what a group has in the lists of dfl_massless_joints. */
typedef struct dfl_joint_group {
    int q, nq, row, rows, column, columns, entry, entries, Q, R, slot, W_at;
    int alive; /* rows that are not left out */
} dfl_joint_group;

typedef struct dfl_massless_joints {
    dfl_context *ctx;
    const dfl_csc *from; /* W of all rows */
    int nv, nc, heavy;   /* velocities; rows; velocities with mass */
    int *number;         /* nv: of a velocity among those with mass; -1: it has none */
    int *velocity;       /* heavy: the way back */
    int ngroups;
    dfl_joint_group *group;
    int *q, *row, *column;          /* massless velocities, rows, other velocities of groups */
    int *place;                     /* of each row of a group, rows that are left out last */
    int *entry, *entry_i, *entry_j; /* numbers of W, row and column in the group */
    int ncopies, *copy_from, *copy_to, *slot; /* the other rows: numbers, and what they become */
    int *W_at;
    dfl_csc W; /* the remaining rows */
    double *W_value;
    unsigned char *out;      /* remaining rows that are left out */
    int *T_start, *T_column; /* T by rows */
    double *T, *Q, *R, *work, *top;
} dfl_massless_joints;

/* `massless`: nv marks. *fits := whether groups are small enough. DFL_NO_MEMORY. */
dfl_status dfl_massless_joints_init(dfl_massless_joints *j, bool *fits, dfl_context *ctx,
                                    const dfl_csc *W, const unsigned char *massless);
void dfl_massless_joints_clear(dfl_massless_joints *j);

/* Q, R, T and the remaining rows. False: rows do not determine massless velocities. */
bool dfl_massless_joints_update(dfl_massless_joints *j, const double *W,
                                const unsigned char *dropped);

/* Rows with right-hand sides l (nc): those of the remaining rows, and what the massless velocities
   are if the others vanish (x: nv, 0 for those with mass). */
void dfl_massless_joints_split(double *remaining, double *x, const dfl_massless_joints *j,
                               const double *l);

/* x (nv) += T y */
void dfl_massless_joints_expand(double *x, const dfl_massless_joints *j, const double *y);

/* y := T^T x */
void dfl_massless_joints_restrict(double *y, const dfl_massless_joints *j, const double *x);

/* Multipliers l (nc) of the remaining ones, and of forces x (nv) on massless velocities. */
void dfl_massless_joints_join(double *l, const dfl_massless_joints *j, const double *remaining,
                              const double *x);

#endif
