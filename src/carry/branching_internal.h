/* branching_internal.h: what the files of branching share. */
#ifndef DFL_BRANCHING_INTERNAL_H
#define DFL_BRANCHING_INTERNAL_H

#include "carry/branching.h"

/* Noise and one rate of the switching functions. */
void dfl_branching_noise(double *noise, const dfl_branching *sw, double t, const double *x,
                         const double *tolerance);
double dfl_branching_rate(const dfl_branching *sw, int which, double t, const double *x,
                          const double *rate);

/* branching_actions.c: does what the actions whose functions crossed do, at (t, change->x). */
/* Nonzero: the run fails. */
int dfl_branching_act(dfl_change *change, dfl_branching *sw, const bool *crossed, double t);
/* Whether function `which` crossed by rounding only: its event does not act. */
bool dfl_branching_contrary(const dfl_branching *sw, int which, const dfl_change *change, double t);

/* branching_contacts.c */
void dfl_branching_describe_contacts(dfl_switch_options *out, dfl_branching *sw);

#endif
