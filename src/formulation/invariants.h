/* invariants.h: which velocity-level invariants a step keeps (invariants.c). */
#ifndef DFL_INVARIANTS_H
#define DFL_INVARIANTS_H
#include "formulation/formulation_internal.h"

/* The choice of invariants e; their number is base->nactive. */
struct dfl_invariants {
    unsigned char *active; /* ne: in use */
    bool have_old;         /* q_old belongs to an accepted step */
    bool suspended;        /* none is used until the next accepted step */
    double *q, *q_old;     /* ne x nv: the parts of e_v that the constraints leave, in units of the
                              velocities */
    double *length;        /* ne: of e_v, in its own units */
    double *basis;         /* ne x nv: workspace */
};

/* Room for the invariants of base->sys; base->invariants := it. DFL_NO_MEMORY. */
dfl_status dfl_invariants_init(dfl_invariants *it, dfl_formulation *base);
void dfl_invariants_clear(dfl_invariants *it, dfl_context *ctx);

/* All are in use, and nothing is known of earlier steps. */
void dfl_invariants_bind(dfl_invariants *it, const dfl_formulation *base);

/* Whether the choice depends on the state at all. */
bool dfl_invariants_vary(const dfl_formulation *base);

/* active, base->nactive and base->secure from q and length; what is left of e_v counts if it is
   longer than this part of e_v. */
void dfl_invariants_decide(dfl_invariants *it, dfl_formulation *base, double dependent);

/* Operations of dfl_form_class. */
bool dfl_invariants_suspend(dfl_formulation *base);
void dfl_invariants_accepted(dfl_formulation *base);

#endif
