/* end_selectors.h: selectors of the user at both ends of a step, (44) of Steinbrecher (2002):

       (S0 + S1)/2 M 2 (x1 - x0)/h = S1 f1 + S0 f0,

   each end's selectors on the right-hand side of that end, their mean on the difference. With S the
   mean and x' = 2 (x1 - x0)/h - x0', M x0' = f0, this is

       S (f1 - M x') + (S1 - S0) (f1 - f0)/2 = 0.

   Newton's systems have S before all rows, so the second term is added to the rows as S^+ of it. It
   vanishes unless the selectors change in the step. */
#ifndef DFL_END_SELECTORS_H
#define DFL_END_SELECTORS_H

#include "formulation/formulation_internal.h"

typedef struct dfl_end_selectors {
    bool differ;           /* the selectors change in this step */
    double *dSp, *dSv;     /* S1 - S0 */
    dfl_split *Sp, *Sv;    /* of the mean */
    double *f0, *f1, *add; /* nv or np, whichever is larger */
    int nfp, nfv;
} dfl_end_selectors;

dfl_status dfl_end_selectors_init(dfl_end_selectors *ends, const dfl_system *sys);
void dfl_end_selectors_clear(dfl_end_selectors *ends, dfl_context *ctx);

/* Replaces Sp (nfp x np) and Sv (nfv x nv; nfv may be 0) of the end by the mean with those of the
   start. False if the mean has dependent rows. */
bool dfl_end_selectors_mean(dfl_end_selectors *ends, const dfl_system *sys, double *Sp, double *Sv,
                            const double *Sp0, const double *Sv0, int nfp, int nfv);

/* Adds what differs to the rows of one stage, in lanes of the given width. `accelerations`: rows of
   the dynamics are a - v'. */
dfl_outcome dfl_end_selectors_add(double *rho_p, double *rho_v, dfl_end_selectors *ends,
                                  dfl_system *sys, const dfl_point *start, const dfl_point *end,
                                  int width, bool accelerations);

#endif
