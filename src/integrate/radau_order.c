/* The order of the next step, chosen as in RADAU (Hairer and Wanner, Stiff differential equations solved
   by Radau methods, J. Comput. Appl. Math. 111, 1999): a higher order allows longer steps, in which
   Newton's iteration converges more slowly. So the order is raised while the iteration converges fast,
   and lowered when it does not converge well or steps are rejected in a row.

   The thresholds differ from RADAU's (0.002 and 0.8), whose matrix belongs to the start of a step: ours
   belongs to its middle and converges faster. Over 16 of the problems of tests/solver/test_references.c
   0.02 and 0.05 need up to 6 % more evaluations for errors from 1e-4 to 1e-9 than 0.03 does; for
   1e-10, 0.02 needs a fifth more. */
#include "integrate/radau.h"
#include "integrate/log.h"

#include <math.h>

static const double fast = 0.03, slow = 0.5;      /* rates of Newton's iteration */
static const double fading = 0.8;                 /* of an earlier rate, from step to step */
enum { FIRST_WAIT = 4, LONGEST_WAIT = 64 };       /* steps before the order may be raised */
enum { PROVEN = 20, REJECTIONS = 2, LOWEST = 5 }; /* steps; in a row; order */

static void change(dfl_radau *ra, int order);
static void lower(dfl_radau *ra);

void dfl_order_start(dfl_radau *ra)
{
    const dfl_solver_options *opt = ra->base.options;
    ra->order =
        (dfl_order){.automatic = opt->order == 0 && opt->fixed_step == 0, .wait = FIRST_WAIT};
    dfl_radau_use_order(ra, opt->order == 0 ? LOWEST : opt->order);
}

void dfl_order_accepted(dfl_radau *ra, bool after_rejection)
{
    dfl_order *order = &ra->order;
    if (!order->automatic)
        return;
    order->rejections = 0;
    order->steps++;
    order->rate = fmax(ra->base.newton.theta, fading * order->rate);
    if (order->steps == PROVEN)
        order->wait = FIRST_WAIT;
    if (order->steps < order->wait || after_rejection)
        return;
    if (order->rate <= fast && ra->rk->stages < ra->max_stages)
        change(ra, ra->rk->order + 4);
    else if (order->rate > slow && ra->rk->order > LOWEST)
        lower(ra);
}

void dfl_order_rejected(dfl_radau *ra)
{
    dfl_order *order = &ra->order;
    if (order->automatic && ++order->rejections >= REJECTIONS && ra->rk->order > LOWEST)
        lower(ra);
}

/* An order that had to be given up is tried again later and later. */
static void lower(dfl_radau *ra)
{
    ra->order.wait = ra->order.wait < LONGEST_WAIT ? 2 * ra->order.wait : LONGEST_WAIT;
    change(ra, ra->rk->order - 4);
}

static void change(dfl_radau *ra, int order)
{
    const dfl_stepper *st = &ra->base;
    ra->order.steps = ra->order.rejections = 0;
    st->sys->stats->order_changes++;
    dfl_log(st->options, DFL_LOG_DEBUG, "t = %.10g: order %d, Newton's rate %.2g", st->t, order,
            st->newton.theta);
    dfl_radau_use_order(ra, order);
}
