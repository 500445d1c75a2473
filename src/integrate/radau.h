/* radau.h: Radau IIA with 1, 3, 5 or 7 stages, of order 1, 5, 9 or 13. */
#ifndef DFL_RADAU_H
#define DFL_RADAU_H

#include "integrate/coefficients.h"
#include "integrate/implicit.h"

extern const dfl_stepper_class dfl_radau_class;

/* What the choice of the order remembers (radau_order.c). */
typedef struct dfl_order {
    bool automatic;
    bool again;   /* the step is one that was taken before, with another end */
    int steps;    /* accepted with this order */
    int slack;    /* steps in a row that were cut although they could have been much longer */
    int patience; /* such steps before the order is lowered */
    bool thrifty; /* it was lowered so ... */
    long long before, spent; /* ... stages iterated for a step before; iterations so far */
    int too_dear;            /* steps in a row that were not cut, or that cost as much */
    int wait[2];             /* numbers of steps before it may be raised to 9 and to 13 */
    int rejections;          /* in a row */
    int kinks;               /* of these, steps in a row that were not smooth */
    int doubt;               /* number of steps of higher orders before kinks are forgotten */
    double strict;           /* logarithm of what estimates are multiplied by when doubt arises */
    double for_higher, for_lower; /* what the last steps say for other orders, in steps */
    int calm;                     /* steps without a kink since the last one */
    double failing;               /* share of attempts whose iteration failed, the last ones most */
} dfl_order;

typedef struct dfl_radau {
    dfl_stepper base;
    const dfl_coefficients *rk; /* the method of the present order */
    int max_stages;             /* that the options allow */
    bool at_once;               /* the formulation increments all stages at once */
    dfl_order order;
    bool layer; /* the last attempt began off the slow motion of a stiff field */
    dfl_point stage[DFL_RADAU_STAGES];
    dfl_stages stages;               /* as the formulation sees them */
    const dfl_coefficients *rk_cont; /* of the last step ... */
    double *cont, *x_end, t_end;     /* ... its Z and its end: the collocation polynomial */
    double *Z, *W, *rows;            /* lanes */
    double *dW, *dZ;                 /* Newton's increments of W = T^-1 Z and of Z */
    double *XP, *YP;                 /* lanes of x' and of T^-1 x' */
    double AI[DFL_RADAU_STAGES * DFL_LANES], LTI[DFL_RADAU_STAGES * DFL_LANES]; /* by columns */
    double ratio, P[DFL_RADAU_STAGES * DFL_LANES]; /* the polynomial's continuation, h/h_old */
    double *y, *term;
} dfl_radau;

/* radau_start.c: life; everything that depends on the number of stages. */
int dfl_radau_max_stages(const dfl_solver_options *options);
dfl_status dfl_radau_init(dfl_stepper *st);
void dfl_radau_bind(dfl_stepper *st);
void dfl_radau_clear(dfl_stepper *st);
void dfl_radau_start(dfl_stepper *st);
void dfl_radau_begin_with(dfl_stepper *st, int order);
void dfl_radau_resume(dfl_stepper *st);
void dfl_radau_use_order(dfl_radau *ra, int order);

/* radau_predict.c: Z before Newton's iteration, and the times of the stages. */
void dfl_radau_predict(dfl_stepper *st, double h);

/* radau_order.c: the first order; and the next one after a step was accepted, the next being
   `growth` times as long, if this one was `cut` or not, perhaps after rejections, or rejected, with
   stages solved or not. */
void dfl_order_start(dfl_radau *ra);
void dfl_order_accepted(dfl_radau *ra, double growth, bool cut, bool after_rejection);
void dfl_order_rejected(dfl_radau *ra, bool solved, double err);

/* The size of an error estimate for the error test: larger while the motion may not be smooth. */
double dfl_order_error(dfl_radau *ra, double err);

#endif
