/* simd.h: what products.c, stage_lanes.c and factor_small.c write their inner loops with. */
#ifndef DFL_SIMD_H
#define DFL_SIMD_H

#include <stdint.h>

/* Two and four doubles that need no alignment and may alias other doubles. */
typedef double dfl_pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef double dfl_quad __attribute__((vector_size(32), aligned(8), may_alias));

/* Four doubles in a register: unlike quads, gcc keeps arrays of them there. What a comparison
   gives: all bits of a double, or none. */
typedef double dfl_four __attribute__((vector_size(32)));
typedef int64_t dfl_four_mask __attribute__((vector_size(32)));

/* gcc only: clang 14 gives the chosen version another name than other files call. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DFL_WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define DFL_WIDE
#endif

/* Before a loop over a few vectors: it is unrolled early, so that an array of them stays in
   registers. */
#ifdef __clang__
#define DFL_UNROLL _Pragma("unroll")
#else
#define DFL_UNROLL _Pragma("GCC unroll 16")
#endif

/* Into its caller, so that arguments the caller writes as constants are constants. */
#define DFL_INLINE inline __attribute__((always_inline))

#endif
