/* vectors.h: what products.c, lanes.c and factor_small.c write their inner loops with. */
#ifndef DFL_VECTORS_H
#define DFL_VECTORS_H

/* Two and four doubles that need no alignment and may alias other doubles. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* Four doubles in a register: unlike quads, gcc keeps arrays of them there. What a comparison gives: all bits of a
   double, or none. */
typedef double four __attribute__((vector_size(32)));
typedef long four_mask __attribute__((vector_size(32)));

/* gcc only: clang 14 gives the chosen version another name than other files call. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("fma", "default")))
#else
#define WIDE
#endif

/* Before a loop over a few vectors: it is unrolled early, so that an array of them stays in registers. */
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* Into its caller, so that arguments the caller writes as constants are constants. */
#define INLINE inline __attribute__((always_inline))

#endif
