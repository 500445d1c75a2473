/* costs.c: measured costs of evaluation.

   All times are the least CPU times of bench/bench_evaluation (and bench/bench_symbolic) on two
   virtual cores of x86-64, gcc 12, 2026-11-16, with other work on the machine: ropes of 2 to 60
   velocities in the plane and in space, arms of 3 to 20 joints, 1 to 40 four-bars, a car. Measure
   again with

       build/bench_evaluation bench/evaluation

   and compare the choice with all ways, using bench/evaluation_compare.py (docs/benchmarks.md). */
#include "declare/costs.h"

#include <math.h>

/* The calls of a usual run. Radau evaluates masses with every evaluation, and takes one Jacobian
   for 50 to 75 evaluations (1 for 6 where Newton's iteration is slow). The choice hardly depends on
   the number of evaluations: in long runs the solver's own work is the larger part. */
static const double evaluations = 3000, jacobian_part = 1.0 / 60;

/* Operations that exceed the processor's caches take longer. */
static const double many_operations = 1e5;

static double tape(double operations);
static double derive(double operations);

/* Tape minus native code, per operation: 1.2 ns at 120 operations, 0.8 at 1000, 0.5 to 0.7 at 4000
   to 40000. At 130000 both take the same time. */
double dfl_cost_native_gain(double operations)
{
    return 20e-9 + 0.6e-9 * fmin(operations, 50000);
}

/* 0.09 s for 150 operations, 0.21 for 1100, 0.9 for 5000, 1.6 for 12000, 4.6 for 26000, 4.8 for
   40000, 42 for 470000. */
double dfl_cost_compile(double operations)
{
    return 0.06 + 1.3e-4 * operations;
}

double dfl_cost_lookup(double operations)
{
    return 1e-4 + 1e-6 * operations;
}

/* Operations of f, M and the Jacobian: fits of the numbers on the tapes, within 20 % for ropes in
   the plane and for four-bars, within a factor of 2 for other mechanisms; chains of 1 to 8 elastic
   beams of second order with 2 to 8 modes within 20 % (beams.lua). */
double dfl_cost_expressions(const dfl_mechanism_size *size)
{
    const bool flat = size->one_axis;
    const double bent = size->elastics > 0 ? 3 : 1; /* couplings with nodes that bending moves */
    const double f =
        (flat ? 30 : 80) * size->nv + (flat ? 17 : 31) * size->path + 80 * size->modes2;
    const double M = 8 * size->nv + bent * (flat ? 4.5 : 15) * size->depth + 30 * size->modes2;
    const double J = bent * ((flat ? 64 : 220) * size->depth + (flat ? 4.8 : 19) * size->depth2) +
                     (flat ? 22 : 34) * size->path2 + 300 * size->modes2;
    return derive(f + M + J) + evaluations * (tape(f) + tape(M) + jacobian_part * tape(J));
}

/* Nanoseconds of f with the rows of loops, M, and the Jacobian; of elastic beams within a factor
   of 2. */
double dfl_cost_recursion(const dfl_mechanism_size *size)
{
    const double nv = size->nv, rows = size->rows, elastics = size->elastics;
    const double wide = elastics > 0 ? 10 : 1; /* matrices with the motions of nodes */
    const double f = 55 * nv + 150 * rows + 40 * size->path + 450 * elastics + 40 * size->modes2;
    const double M =
        70 * nv + 7 * size->depth + wide * nv * nv + 600 * elastics + 50 * size->modes2;
    const double J = 400 * nv + 15 * size->depth + 2 * wide * nv * nv + 500 * rows +
                     200 * size->path + 2500 * elastics + 300 * size->modes2;
    return 1e-9 * evaluations * (f + M + jacobian_part * J);
}

/* One evaluation: 0.8 to 1 ns per operation, 1.5 to 1.6 for many. */
static double tape(double operations)
{
    return 50e-9 + (operations < many_operations ? 0.9e-9 : 1.5e-9) * operations;
}

/* From the script to tapes: 0.2 to 0.4 us per operation, 0.5 to 0.8 for many. */
static double derive(double operations)
{
    return (operations < many_operations ? 0.25e-6 : 0.7e-6) * operations;
}

/* Linear algebra of 300 steps with dense matrices: 2.6e-9 to 3.9e-9 nv^3 s per step with 255 and
   301 velocities. With sparse matrices of branched trees it costs less than the evaluation, but
   they have to be expressions. */
bool dfl_cost_prefers_tree(const dfl_mechanism_size *size)
{
    const double nv = size->nv, cube = nv * nv * nv;
    return nv >= 100 && size->rows == 0 && size->depth2 < cube / 20 &&
           dfl_cost_expressions(size) < dfl_cost_recursion(size) + 300 * 3e-9 * cube;
}

/* Plane chains of hinged bodies cost the same with 90 bodies, N four-bars with N = 10 (21 bodies,
   20 rows of loops); a body in space costs six times as much as one in the plane. */
double dfl_cost_dense_by_sparse(const dfl_mechanism_size *size, int bodies, bool planar)
{
    const double dense = pow(size->nv + 1.2 * size->rows, 2.3), chain = 90;
    return dense / pow(chain, 1.3) / ((planar ? 1 : 6) * fmax(bodies, 1));
}
