/* self_check_internal.h: between the files of the self-check. */
#ifndef DFL_SELF_CHECK_INTERNAL_H
#define DFL_SELF_CHECK_INTERNAL_H

#include "eom/eom.h"

enum { DFL_CHECK_NAME = 80 }; /* room for a name in a message */

typedef struct dfl_check {
    dfl_system *sys;
    dfl_rows_jacobian *jac;
    dfl_point *point, *work; /* the state under test; states near it */
    double t0;
    double *memory, *x0, *xp;    /* n */
    double *a;                   /* nv: any accelerations */
    double *rate[3];             /* all algebraic rows: their rates with three steps */
    double *full;                /* all parts, as eval writes them */
    double *own, *fine, *coarse; /* stored Jacobian: by callback, by small and large differences */
    bool contact;                /* c = 0, so that s has a rate; true without s */
    bool moved;                  /* not at x0: the model may refuse this state ... */
    bool refused;                /* ... and did */
} dfl_check;

/* self_check.c */

/* What stops the check: the model's own answer at x0, a stop anywhere; after sys->trouble is
   set. At a moved state other troubles only set `refused`, without a message: nobody above sees
   them. */
dfl_status dfl_check_cannot(dfl_check *c);

/* The same for a callback that returned rc. */
dfl_status dfl_check_callback_failed(dfl_check *c, int rc, const char *callback);

/* For the end of a message: whether its numbers are those of x0. */
const char *dfl_check_where(const dfl_check *c);

/* Between 0.5 and 1 in size, of either sign: never near zero. The same on every machine. */
double dfl_check_noise(unsigned *seed);

/* The name of a row of (gI, hv), or of (gII, hI). */
void dfl_check_constraint_name(char *text, size_t size, const dfl_eom *eom, dfl_kind holonomic,
                               int row);

/* check_room.c: whether eval and jacobian stay inside their blocks */
dfl_status dfl_check_room(dfl_check *c);

/* check_blocks.c: what eval writes */
size_t dfl_check_blocks_size(const dfl_check *c); /* of `full` */
dfl_status dfl_check_written(dfl_check *c);       /* fills `full` */
dfl_status dfl_check_flags(dfl_check *c);
dfl_status dfl_check_multipliers(dfl_check *c);
dfl_status dfl_check_massless(dfl_check *c);

/* check_rates.c: rates along the motion; derivatives are in jac, fine and coarse */
dfl_status dfl_check_settle_contact(dfl_check *c);
dfl_status dfl_check_rates(dfl_check *c); /* gI; leaves all rates for the bias */
dfl_status dfl_check_bias(dfl_check *c);
dfl_status dfl_check_invariants(dfl_check *c); /* changes point */

#endif
