/* short_loops.h: tells gcc not to vectorize what follows; include it behind all system headers.

   In loops of one to sixteen entries that start one entry later each time, a vector load spans two
   earlier stores and has to wait for the cache: with -O3, a QR of order 3 takes 120 ns with
   vectorization and 65 ns without (bench/bench_linalg.c). clang needs no such advice. */
#ifndef DFL_SHORT_LOOPS_H
#define DFL_SHORT_LOOPS_H

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-tree-vectorize", "no-tree-slp-vectorize")
#endif

#endif
