/* forms.h: the forms as data: which rows each one has, and its own unknowns. */
#ifndef DFL_FORMS_H
#define DFL_FORMS_H

#include "eom/eom.h"

/* What the accelerations are in the rows gII, hI = W a + bias. */
typedef enum dfl_acceleration {
    DFL_ACC_NONE,      /* there are no such rows */
    DFL_ACC_RATE,      /* v' */
    DFL_ACC_UNKNOWN,   /* unknowns a with the rows f_dyn - M a = 0 */
    DFL_ACC_CORRECTED, /* v' + W^T tau, also in the dynamics */
    DFL_ACC_PROJECTED  /* as unknowns or eliminated, by the system (eom.h) */
} dfl_acceleration;

typedef struct dfl_form_traits {
    bool ode;                              /* an explicit right-hand side (ode.h) */
    bool plain;                            /* all of kinematics and dynamics are rows (plain.h) */
    bool position, velocity, nonholonomic; /* g, gI, hv are rows */
    dfl_acceleration acceleration;         /* gII, hI are rows */
    bool stabilised;                       /* ... with 2 alpha gI + beta^2 g and alpha hv added */
    bool rates_are_a;                      /* the rows of the dynamics are a - v' */
    bool mu;              /* unknowns mu: p' = Z (v - W^T mu), beside g; and for ep */
    bool tau;             /* unknowns tau of the dynamics, beside gI and hv ... */
    bool tau_turns;       /* ... which act on p' as well, through the derivative of gI */
    bool discarded;       /* mu and tau are solved for anew in each iteration */
    int index_v, index_l; /* of v and of the multipliers, for norms */
} dfl_form_traits;

/* Explicit integrators see every form as a right-hand side. */
const dfl_form_traits *dfl_form_traits_of(dfl_form form, dfl_integrator integrator);

/* What the form asks of the system, and whether block 1 is without accelerations. */
dfl_requirements dfl_form_requirements(const dfl_form_traits *traits, const dfl_eom *eom);

/* Whether every state keeps to g and gI, hv to the accuracy of Newton's iteration. */
bool dfl_form_keeps_constraints(dfl_form form);

#endif
