/* costs.h: the seconds that the ways of evaluating a model take, predicted from sizes.

   All constants are in costs.c, with the measurement behind them. The predictions decide between
   ways that give the same results, so they need to be right within a factor, not exact. */
#ifndef DFL_COSTS_H
#define DFL_COSTS_H

/* What native code saves in one evaluation of a tape with this number of operations. */
double dfl_cost_native_gain(double operations);

/* Compiling `operations` operations, and writing their source to look it up in the cache. */
double dfl_cost_compile(double operations);
double dfl_cost_lookup(double operations);

#endif
