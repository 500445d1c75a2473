/* contact_watch.h: contact points move continuously. */
#ifndef DFL_CONTACT_WATCH_H
#define DFL_CONTACT_WATCH_H

#include "formulation/formulation.h"

typedef struct dfl_stepper dfl_stepper;

typedef struct dfl_contact_watch {
    dfl_point at;       /* a point inside the step */
    dfl_factor *matrix; /* c_s */
    double *work;       /* the last change of s, and a correction */
    double *rate;       /* the largest |s'| of the last steps */
} dfl_contact_watch;

/* Life; nothing is allocated without contact variables. */
dfl_status dfl_contact_watch_init(dfl_stepper *st);
void dfl_contact_watch_bind(dfl_stepper *st);
void dfl_contact_watch_clear(dfl_stepper *st);

/* At the evaluated end of a step, `next`. DFL_STEP_RETRY: a contact variable jumps in it. */
dfl_outcome dfl_watch_contact(dfl_stepper *st, double h);

/* When the step is accepted, before `next` becomes `here`; and where no step comes before. */
void dfl_contact_watch_accepted(dfl_stepper *st, double h);
void dfl_contact_watch_forget(dfl_stepper *st);

#endif
