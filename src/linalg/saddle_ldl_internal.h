/* saddle_ldl_internal.h: order and patterns of LDL^T of a saddle matrix, shared by saddle_ldl.c and
   lane_ldl.c. */
#ifndef DFL_SADDLE_LDL_INTERNAL_H
#define DFL_SADDLE_LDL_INTERNAL_H
#include "linalg/linalg.h"

struct dfl_saddle_ldl {
    dfl_context *ctx;
    const dfl_csc *D, *A; /* D NULL: diagonal */
    int nv, nc, n;
    int *place;     /* n: of each unknown in the order */
    int *unknown;   /* n: the way back */
    dfl_csc upper;  /* entries above the diagonal, in the order */
    int *at_D;      /* entry of `upper` of each entry of D, -1: on or below the diagonal of D */
    int *at_A;      /* ... and of A */
    double *value;  /* of `upper` */
    int *row_start; /* n + 1: the columns of row k of L ... */
    int *row_column;
    int *start, *next; /* n + 1, n: the columns of L */
    int *row;
    double *L, *pivot, *y, *length2;
    unsigned char *out;   /* n: left out */
    unsigned char *empty; /* nc: rows of A without numbers */
    int rank;
    double smallest, dropped; /* squares of relative distances */
};

#endif
