/* branching_contacts.c: contacts and friction of a run: their modes are discrete variables, which
   switch rows of the equations on and off. */
#include "carry/branching_internal.h"

void dfl_branching_contacts(dfl_contact_state *out, const dfl_branching *sw, double t,
                            const double *x)
{
    const double *gap = sw->gap, *law = sw->law;
    sw->host.evaluate(sw->gap, DFL_CARRY_GAPS, t, x, sw->host.run);
    sw->host.evaluate(sw->law, DFL_CARRY_LAWS, t, x, sw->host.run);
    for (int i = 0; i < sw->tables->ncontacts; i++)
        out[i] = (dfl_contact_state){.gap = gap[2 * i],
                                     .slip = gap[2 * i + 1],
                                     .load = law[4 * i],
                                     .limit = law[4 * i + 1],
                                     .restitution = law[4 * i + 2],
                                     .friction = law[4 * i + 3]};
}

static int contact_states(dfl_contact_state *out, double t, const double *x,
                          const double *tolerance, void *user)
{
    const dfl_branching *sw = user;
    dfl_branching_contacts(out, sw, t, x);
    sw->host.evaluate(sw->slope, DFL_CARRY_GAP_SLOPES, t, x, sw->host.run);
    dfl_watched_noise(sw->gap_noise, &sw->tables->gaps, sw->slope, sw->tables->n, tolerance);
    for (int i = 0; i < sw->tables->ncontacts; i++) {
        out[i].gap_noise = sw->gap_noise[2 * i];
        out[i].slip_noise = sw->gap_noise[2 * i + 1];
    }
    return 0;
}

static int set_modes(const dfl_contact_mode *modes, void *user)
{
    dfl_branching *sw = user;
    double *discrete = sw->discrete;
    for (int i = 0; i < sw->tables->ncontacts; i++) {
        const dfl_carried_mode *place = &sw->tables->modes[i];
        discrete[place->closed] = modes[i].closed;
        discrete[place->stick] = modes[i].stick;
        discrete[place->sense] = modes[i].sense;
        if (sw->tables->contacts[i].directions < 2)
            continue;
        discrete[place->along[0]] = modes[i].along[0];
        discrete[place->along[1]] = modes[i].along[1];
        discrete[place->speed] = modes[i].sense ? modes[i].speed : 1;
    }
    sw->host.prepare(sw->host.run);
    dfl_branching_mask(sw);
    return 0;
}

dfl_contact_mode dfl_branching_mode(const dfl_branching *sw, int contact)
{
    const dfl_carried_mode *place = &sw->tables->modes[contact];
    return (dfl_contact_mode){.closed = sw->discrete[place->closed] != 0,
                              .stick = sw->discrete[place->stick] != 0,
                              .sense = (int)sw->discrete[place->sense]};
}

void dfl_branching_describe_contacts(dfl_switch_options *out, dfl_branching *sw)
{
    out->contact = sw->contact;
    out->contacts = (dfl_contact_options){.count = sw->tables->ncontacts,
                                          .contacts = sw->tables->contacts,
                                          .eval = contact_states,
                                          .set = set_modes};
}
