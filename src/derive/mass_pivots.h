/* mass_pivots.h: mass matrices eliminated with pivots, by numbers; for mass_rank.c.

   Several copies of M, at states near each other, are eliminated in one order: M = L^T D L.

   A pivot D_i is the mass that velocity i moves when the velocities eliminated before it follow
   with the least kinetic energy: D_i = k^T M k, where k has entry 1 at i and the response at those
   pivots. It is compared with

       s = D_i + sum of k_j^2 D_j over the pivots j before

   the masses that take part in this motion, each moved by itself. The ratio D_i / s does not depend
   on units. It is of the order of 1 in a chain of bodies of similar masses, however long it is,
   unlike D_i / M_ii, which falls with the cube of the number of bodies, and unlike singular values
   of M, which fall with the fourth power. Errors of the entries of M, relative to their sizes,
   change D_i by k^T dM k: a pivot below 4 nv eps (sum of |k_j| sqrt M_jj)^2 is rounding. */
#ifndef DFL_MASS_PIVOTS_H
#define DFL_MASS_PIVOTS_H

#include <driftless/context.h>

#include <stdbool.h>

enum { DFL_MASS_COPIES = 3 };

/* A ratio up to `dfl_mass_null` is that of a velocity without mass; one below `dfl_mass_light` is
   so small that it deserves a hint. */
static const double dfl_mass_null = 1e-10, dfl_mass_light = 1e-6;

enum { DFL_MASS_ACTIVE, DFL_MASS_ELIMINATED, DFL_MASS_FREE };

typedef struct dfl_mass_copies {
    int nv, rank;               /* rank: pivots so far */
    int *order;                 /* nv: these pivots */
    double *M[DFL_MASS_COPIES]; /* nv x nv, or NULL: there is no such copy */
    double
        *A[DFL_MASS_COPIES]; /* nv x nv: Schur complement of what is active, rows of L at pivots */
    double *ratio[DFL_MASS_COPIES]; /* nv: of active velocities */
    double *k;                      /* nv: a direction */
    unsigned char *state;           /* nv */
    unsigned char *moving;          /* nv: M_ii depends on the state */
    bool given_up[DFL_MASS_COPIES]; /* a pivot vanished in this copy, but not in others */
    bool indefinite;
    int negative; /* 1 + the first pivot that is negative in all copies; 0: none */
} dfl_mass_copies;

/* No copies yet; dfl_mass_copies_add gives room for one, to be filled in before the first pivot. */
dfl_status dfl_mass_copies_create(dfl_mass_copies *out, dfl_context *ctx, int nv);
double *dfl_mass_copies_add(dfl_mass_copies *copies, dfl_context *ctx, int copy);
void dfl_mass_copies_clear(dfl_mass_copies *copies, dfl_context *ctx);

/* To be called when the entries are filled in; a copy with entries that are not finite is left
   out. */
dfl_status dfl_mass_copies_begin(dfl_mass_copies *copies, dfl_context *ctx);

/* The ratio of an active velocity: the largest of all copies, and the worst, by which a velocity
   without mass in one copy is chosen last. */
double dfl_mass_largest(const dfl_mass_copies *copies, int i);
double dfl_mass_worst(const dfl_mass_copies *copies, int i);

/* The next pivot, or -1: all that is left is massless. */
int dfl_mass_choose(const dfl_mass_copies *copies);
void dfl_mass_eliminate(dfl_mass_copies *copies, int pivot);

/* Frees velocity i if it has no mass in any copy; since M >= 0, its row is zero then. */
bool dfl_mass_release(dfl_mass_copies *copies, int i);

/* y (nv): velocity `own` and the response of the first `after` pivots. */
void dfl_mass_direction(double *y, const dfl_mass_copies *copies, int copy, int own, int after);

#endif
