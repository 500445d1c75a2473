/* motion_blocks.h: p' = Z v by small blocks, solved for increments.

   An increment of the kinematic rows is zeta dp - (Z v)_p dp - Z w = r with w = dv - u. A block has
   as many positions as velocities, or one more, as quaternions do; n is the direction that Z does
   not reach, and that nothing else depends on. Then dp = Z dpi + n nu for every dpi, nu and w
   follow. With p' = v there are no blocks: dp = dpi, w = zeta dpi - r. Vectors are lanes of 4, zeta
   that of a set: real, real part, imaginary part. */
#ifndef DFL_MOTION_BLOCKS_H
#define DFL_MOTION_BLOCKS_H
#include "formulation/formulation_internal.h"

/* The beginnings of what a block has in the lists of dfl_motion_blocks. */
typedef struct dfl_motion_block {
    int v, nv, p, np;
    int Z, J, n, inverse; /* np x nv, np x np, np, np x np */
} dfl_motion_block;

typedef struct dfl_motion_blocks {
    dfl_context *ctx;
    const dfl_pattern *kin; /* NULL: p' = v */
    int nv, np, nblocks;
    dfl_motion_block *block;
    int *v, *p;            /* numbers of velocities and positions of blocks */
    int *block_of, *place; /* np: of each position: its block, its place there */
    int *at;               /* number of Z or J of each entry of kin; Z first */
    int *place_v;          /* nv */
    double *number;        /* Z, J, n and inverse of all blocks */
    int numbers;
} dfl_motion_blocks;

/* *fits := whether there are such blocks, and no larger ones. DFL_NO_MEMORY. */
dfl_status dfl_motion_blocks_init(dfl_motion_blocks *m, bool *fits, const dfl_system *sys);
void dfl_motion_blocks_clear(dfl_motion_blocks *m);

/* Numbers of the derivatives of kin. False: a block is singular. */
bool dfl_motion_blocks_update(dfl_motion_blocks *m, const double *kin);

/* Positions dp and w for dpi and r. */
void dfl_motion_blocks_solve(double *dp, double *w, const dfl_motion_blocks *m, const double *dpi,
                             const double *r, const double *zeta);

/* B1 (nv x nv) of a block, w = (zeta + B1) dpi + ...; what is left out is small of order 1/zeta. */
void dfl_motion_block_slope(double *B1, const dfl_motion_blocks *m, const dfl_motion_block *block);

#endif
