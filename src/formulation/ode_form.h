/* ode_form.h: right-hand sides (ode.h) as a formulation for implicit integrators.

       0 = F(t, y) - y',     0 = X(t, y) - (a, sigma, w, l, m, s)      with y = (r, v, p)

   In terms of formulation.h the first part of Newton's system is dx = CB [rows; u] with the derivative of X in CB,
   and E = zeta I - F_y. Both derivatives are differences. */
#ifndef DFL_ODE_FORM_H
#define DFL_ODE_FORM_H
#include "formulation/formulation.h"
#include "formulation/ode.h"

struct dfl_ode_form {
    dfl_ode ode;
    dfl_point point;  /* where right-hand sides are evaluated */
    double *rate, *x; /* n each: of the reference point */
    double *F, *X;    /* mdif and n1 + ns values of each stage */
};

dfl_status dfl_ode_form_init(dfl_formulation *form);
void dfl_ode_form_free(dfl_ode_form *of, dfl_context *ctx);
void dfl_ode_form_bind(dfl_formulation *form);

/* What an integrator calls (formulation.h). */
dfl_outcome dfl_ode_form_linearize(dfl_formulation *form, double t, const double *x,
                                   const double *a, bool update);
dfl_outcome dfl_ode_form_residual(double *rows, dfl_formulation *form, const dfl_point *points,
                                  int count, const double *transform, const double *yp,
                                  const double *xp);
dfl_outcome dfl_ode_form_mixed(double *rows, dfl_formulation *form, const dfl_point *differential,
                               const dfl_point *algebraic, double weight, const double *yp,
                               const double *xp);
dfl_outcome dfl_ode_form_defect(double *err, dfl_formulation *form, const dfl_point *point,
                                const double *y);

#endif
