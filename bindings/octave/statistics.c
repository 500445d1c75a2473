/* statistics.c: the counters of a run as a struct. */
#include "gateway.h"

mxArray *gateway_statistics(const dfl_statistics *s)
{
    const struct {
        const char *name;
        double value;
    } entries[] = {{"accepted", (double)s->accepted},
                   {"evaluations", (double)s->evaluations},
                   {"mass_evaluations", (double)s->mass_evaluations},
                   {"jacobians", (double)s->jacobians},
                   {"selector_computations", (double)s->selector_computations},
                   {"algebraic_decompositions", (double)s->algebraic_decompositions},
                   {"differential_decompositions", (double)s->differential_decompositions},
                   {"pivoted", (double)s->pivoted},
                   {"lumped", (double)s->lumped},
                   {"back_substitutions", (double)s->back_substitutions},
                   {"attempts", (double)s->attempts},
                   {"rejected_error", (double)s->rejected_error},
                   {"rejected_newton", (double)s->rejected_newton},
                   {"difference_evaluations", (double)s->difference_evaluations},
                   {"partial_evaluations", (double)s->partial_evaluations},
                   {"check_evaluations", (double)s->check_evaluations},
                   {"newton_updates", (double)s->newton_updates},
                   {"steps_without_invariants", (double)s->steps_without_invariants},
                   {"order_changes", (double)s->order_changes},
                   {"unconverged", (double)s->unconverged},
                   {"events", (double)s->events},
                   {"seconds", s->seconds},
                   {"longest_step", s->longest_step},
                   {"rank_position", s->rank_position},
                   {"rank_velocity", s->rank_velocity}};
    mxArray *out = gateway_record();
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        gateway_set(out, entries[i].name, gateway_scalar(entries[i].value));
    return out;
}
