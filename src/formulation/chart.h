/* chart.h: what a chart of local coordinates needs of an implementation (chart.c). */
#ifndef DFL_CHART_H
#define DFL_CHART_H

#include "formulation/formulation_internal.h"

/* The rows that a step integrates, S of the positions (nfp x np) and of the velocities (nfv x nv);
   NULL: all of them. */
struct dfl_chart_rows {
    const double *Sp, *Sv;
    int nfp, nfv;
    bool momentum; /* Sv acts on M v' */
};

/* Life, for a form with local coordinates; clear also frees what init left after a failure. */
dfl_status dfl_chart_init(dfl_formulation *form);
void dfl_chart_bind(dfl_formulation *form);
void dfl_chart_clear(dfl_formulation *form);

/* What a chart is made of. */
typedef enum dfl_chart_level { DFL_CHART_POSITIONS, DFL_CHART_VELOCITIES } dfl_chart_level;

struct dfl_chart {
    dfl_split *split;
    dfl_factor *factor;
    dfl_point point, moved; /* a predicted state, with W; for products with Z */
    double *K, *K2;         /* nv x nf: free velocities at two points */
    double *T, *B;          /* their directions, np or nv x nf; nf x nf */
    double *M, *a;          /* nv x nv, nv */
    double *re, *im, *work; /* of eigenvalues */
    int *chosen;            /* of names */
};

/* The selected rows of a level, S (nf x np or nv), if they are as many as the constraints leave
   free. */
bool dfl_chart_selected(const double **S, int *nf, bool *momentum, dfl_formulation *form,
                        dfl_chart_level at);

/* K (nv x nf): an orthonormal basis of the velocities that the constraints leave free at a point.
 */
bool dfl_chart_free_velocities(double *K, dfl_formulation *form, const dfl_point *point,
                               dfl_chart_level at, int nf);

/* T = K, Z K or M K. */
bool dfl_chart_directions(double *T, dfl_formulation *form, const dfl_point *point, const double *K,
                          int nf, dfl_chart_level at, bool momentum);

#endif
