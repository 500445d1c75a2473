/* stage_plan.h: between stage_plan.c and stage_increments.c: the places of the operands of an
   iteration. */
#ifndef DFL_STAGE_PLAN_H
#define DFL_STAGE_PLAN_H

#include "formulation/projected.h"

/* Entries of all stages that are collected into lanes: their places at a point, relative to its
   x. */
typedef struct segment {
    double *lanes;
    const int *at, *end;
} segment;

/* A block of the projected rows with its two sides d and y: S and SM (m x n, of one kind of
   unknowns) times its right-hand sides f and increments Z, and derivatives SJ_a, SM_a of `na`
   algebraic rows. */
typedef struct block {
    const double *S, *SM, *f, *Z, *SJ_a, *SM_a, *alg;
    double *d, *y;
    long m, n, na;
} block;

/* What the loops over lanes need, prepared for all iterations until sizes change: if the loops run
   over one or two entries, finding it would take longer than the products. */
struct dfl_stage_plan {
    bool valid;            /* for the present iteration: */
    double rate;           /* 1 / h */
    const double *inverse; /* E^-1 for two rows; NULL: the factors of E */

    const double *Z; /* of the stages; NULL: nothing is prepared */
    int width;
    const double *first;       /* x of the first stage */
    long distance;             /* from one stage to the next */
    segment alg, r, f, kin, W; /* rows at points; what is not collected is empty */
    struct {
        double *lanes;
        long n;
    } own; /* block 1 if the stages have their own matrices; otherwise n is 0 */
    struct {
        const double *Z;
        long at, n;
    } shift; /* p' = v from x + Z, if kinematics are trivial; otherwise n is 0 */
    struct {
        const double *M_inv, *Z_l; /* M_inv NULL: not in lanes */
        double *acc;
        const double *momentum; /* f_dyn - M v' formed stage by stage, or NULL */
        long at_l, nc, nv;
    } dyn;           /* f_dyn and gII, hI */
    long nr, ma, nd; /* r', algebraic and all projected rows */
    double *lanes;   /* of the algebraic rows; projected ones follow */
    const double *Z_r;
    block v, p;
    struct {
        int few;    /* unknowns, if at most 6; otherwise 0 */
        bool whole; /* dZ = CB [a; u] with the zeros in CB */
        long n, K;
        double *u;
        const double *CB;
    } dZ; /* the increments */
};

/* At the beginning of an iteration: the plan for it, prepared again if sizes have changed. */
void dfl_stage_plan_renew(dfl_stage_plan *plan, const dfl_projected *form, const dfl_stages *st,
                          double *rows);

#endif
