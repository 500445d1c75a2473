/* saddle_ldl_internal.h: order and patterns of LDL^T of a saddle matrix, shared by saddle_ldl.c and
   lane_ldl.c. */
#ifndef DFL_SADDLE_LDL_INTERNAL_H
#define DFL_SADDLE_LDL_INTERNAL_H
#include "linalg/linalg.h"

/* A chunk is up to four columns of L, one after the other, with the same rows below the last of
   them: entries of a row of a chunk are added up before they go to memory. */
enum { DFL_WIDEST_CHUNK = 4, DFL_SHORTEST_CHUNK = 4 }; /* columns; rows in common */

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
    int *row_slot; /* ... and where their entries are in L */
    int *start;    /* n + 1: the columns of L */
    int *row;
    int *chunk; /* n: the number of columns of the chunk that begins here, 0: none begins */
    int *tail;  /* n: of each column, where the rows that its chunk has in common begin */
    double *L, *pivot, *y, *length2;
    unsigned char *out; /* n: left out */
    unsigned char
        *quiet; /* n: of the first column of a chunk: y = 0 there if there are no forces */
    unsigned char *empty; /* nc: rows of A without numbers */
    int rank;
    double smallest, dropped; /* squares of relative distances */
};

#endif
