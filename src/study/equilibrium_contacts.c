/* equilibrium_contacts.c: contacts at an equilibrium, which keep the modes of the start: none
   pulls, none is penetrated, none sticks beyond its limit. */
#include "study/study_internal.h"

#include "declare/declare.h"

#include <math.h>
#include <stdio.h>

enum { MOST_NAMED = 5 }; /* contacts in a message */

/* The multiplier of a constraint that a contact declares. */
static double multiplier_of(const dfl_equations *eq, int declared, const double *x)
{
    for (int i = 0; i < eq->nl + eq->nm; i++)
        if (eq->declared.row[i] == declared)
            return x[eq->nw + i];
    return 0;
}

/* The friction force of a contact that sticks. */
static double held_by(const dfl_equations *eq, const dfl_touch *touch, const double *x)
{
    double squares = 0;
    for (int k = 0; k < touch->directions; k++) {
        const double part = touch->tangent[k] >= 0 ? multiplier_of(eq, touch->tangent[k], x) : 0;
        squares += part * part;
    }
    return sqrt(squares);
}

static dfl_status check(const dfl_touch *touch, dfl_runnable *run, dfl_contact_mode mode,
                        const dfl_contact_state *found, const double *x)
{
    const double held = mode.stick ? held_by(eq_of(run), touch, x) : 0;
    if (touch->normal >= 0 && !mode.closed && found->gap < -1e-8)
        return dfl_fail(ctx_of(run), DFL_NOT_CONVERGED,
                        "line %d: contact '%s' is open at the start, and forces are balanced "
                        "only where its gap is %.6g; start where it is closed",
                        touch->line, touch->name, found->gap);
    if (touch->normal >= 0 && mode.closed && found->load < -1e-8)
        return dfl_fail(ctx_of(run), DFL_NOT_CONVERGED,
                        "line %d: contact '%s' is closed at the start, and forces are balanced "
                        "only if it pulls with %.6g; start where it is open",
                        touch->line, touch->name, -found->load);
    if (held > found->limit * (1 + 1e-6) + 1e-8)
        return dfl_fail(ctx_of(run), DFL_NOT_CONVERGED,
                        "line %d: contact '%s' sticks at the start, and forces are balanced only "
                        "with a friction of %.6g, above its limit %.6g; start elsewhere",
                        touch->line, touch->name, held, found->limit);
    return DFL_OK;
}

dfl_status dfl_study_check_contacts(dfl_runnable *run, double t, const double *x)
{
    const dfl_actions *actions = &eq_of(run)->model->actions;
    const size_t count = (size_t)actions->touches.count;
    dfl_contact_state *found = dfl_alloc(ctx_of(run), count + 1, sizeof *found);
    dfl_status status = found ? DFL_OK : DFL_NO_MEMORY;
    if (!status && count > 0)
        dfl_runnable_contacts(found, run, t, x);
    for (int i = 0; !status && i < actions->touches.count; i++)
        status = check(&actions->touches.item[i], run, dfl_runnable_mode(run, i), &found[i], x);
    dfl_free(ctx_of(run), found);
    return status;
}

/* At the end of its mode: it lifts off, closes or slips as soon as something moves. */
static void describe_edge(char *out, size_t size, const dfl_touch *touch, dfl_runnable *run,
                          dfl_contact_mode mode, const dfl_contact_state *found, const double *x)
{
    const bool contact = touch->normal >= 0;
    const double held = mode.stick ? held_by(eq_of(run), touch, x) : 0;
    const bool slips =
        !mode.stick && touch->directions == 1 && (!contact || mode.closed) && found->limit > 0;
    const char *what = contact && !mode.closed && found->gap <= 1e-8   ? "touches without a force"
                       : contact && mode.closed && found->load <= 1e-8 ? "is closed without a force"
                       : mode.stick && held >= found->limit * (1 - 1e-6) ? "sticks at its limit"
                       : slips && fabs(found->slip) <= 1e-9 ? "slips without speed: it would stick"
                                                            : NULL;
    if (what)
        snprintf(out, size, "contact '%s' (line %d) %s here", touch->name, touch->line, what);
}

dfl_status dfl_study_contact_edge(char *out, size_t size, dfl_runnable *run, double t,
                                  const double *x)
{
    const dfl_actions *actions = &eq_of(run)->model->actions;
    const int count = actions->touches.count;
    *out = 0;
    if (count == 0)
        return DFL_OK;
    dfl_contact_state *found = dfl_alloc(ctx_of(run), (size_t)count, sizeof *found);
    if (!found)
        return DFL_NO_MEMORY;
    dfl_runnable_contacts(found, run, t, x);
    for (int i = 0; !*out && i < count; i++)
        describe_edge(out, size, &actions->touches.item[i], run, dfl_runnable_mode(run, i),
                      &found[i], x);
    dfl_free(ctx_of(run), found);
    return DFL_OK;
}

dfl_status dfl_study_name_contacts(dfl_runnable *run, dfl_status failure)
{
    dfl_context *ctx = ctx_of(run);
    if (failure != DFL_NOT_CONVERGED || eq_of(run)->model->actions.touches.count == 0)
        return failure;
    char *message = dfl_copy_string(ctx, dfl_message(ctx));
    if (!message)
        return DFL_NO_MEMORY;
    const dfl_actions *actions = &eq_of(run)->model->actions;
    dfl_text modes = {.ctx = ctx};
    for (int i = 0; i < actions->touches.count && i < MOST_NAMED; i++) {
        const dfl_touch *touch = &actions->touches.item[i];
        const dfl_contact_mode mode = dfl_runnable_mode(run, i);
        dfl_text_add(&modes, "%s'%s' %s", i ? ", " : "", touch->name,
                     touch->normal >= 0 && !mode.closed ? "is open"
                     : mode.stick                       ? "sticks"
                     : touch->normal >= 0               ? "is closed"
                                                        : "slips");
    }
    dfl_fail(ctx, failure,
             "%s; contacts stay as they are at the start: %s%s; --at starts elsewhere", message,
             dfl_text_string(&modes), actions->touches.count > MOST_NAMED ? ", ..." : "");
    dfl_text_clear(&modes);
    dfl_free(ctx, message);
    return failure;
}
