/* costs.h: the seconds that the ways of evaluating a model take, predicted from sizes.

   All constants are in costs.c, with the measurement behind them. The predictions choose between
   ways that give the same results, so they may be wrong by a moderate factor. */
#ifndef DFL_COSTS_H
#define DFL_COSTS_H

#include <stdbool.h>

/* What native code saves in one evaluation of a tape with this number of operations. */
double dfl_cost_native_gain(double operations);

/* Compiling `operations` operations, and writing their source to look it up in the cache. */
double dfl_cost_compile(double operations);
double dfl_cost_lookup(double operations);

/* The size of a mechanism, as far as the costs depend on it.

   The depth of a velocity is the number of joint coordinates between its joint and the ground on
   which its masses depend; the path of a row is the number of velocities in its loop. */
typedef struct dfl_mechanism_size {
    int nv;               /* velocities */
    double depth, depth2; /* sums of depths and of their squares */
    int rows;             /* of loops */
    double path, path2;   /* sums of paths and of their squares */
    bool one_axis;        /* all turns are about one axis of coordinates */
    int elastics;         /* elastic bodies; rows of their loops are expressions in both ways */
    double modes2;        /* sum of the squares of their numbers of modes */
} dfl_mechanism_size;

/* A run of usual length, since the number of evaluations is not known before the equations are:
   with masses and rows of loops as expressions, derived and put on tapes; and by recursion. */
double dfl_cost_expressions(const dfl_mechanism_size *size);
double dfl_cost_recursion(const dfl_mechanism_size *size);

/* Whether sparse matrices in joint coordinates are the cheapest: a branched tree without loops. */
bool dfl_cost_prefers_tree(const dfl_mechanism_size *size);

/* Steps with dense matrices in joint coordinates, compared with sparse ones in absolute coordinates
   of `bodies` bodies: above 1 these are cheaper. */
double dfl_cost_dense_by_sparse(const dfl_mechanism_size *size, int bodies, bool planar);

#endif
