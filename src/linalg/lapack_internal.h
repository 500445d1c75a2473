/* lapack_internal.h: LAPACK and BLAS; with DFL_LAPACK=0 there are none, and our own loops serve all
   sizes. */
#ifndef DFL_LAPACK_INTERNAL_H
#define DFL_LAPACK_INTERNAL_H

#include "linalg/linalg.h" /* before the macros of <complex.h> */

#ifndef DFL_LAPACK
#define DFL_LAPACK 1
#endif

#if DFL_LAPACK
#include <cblas.h>
#include <lapacke.h>
#else
typedef int lapack_int;
#endif

#endif
