/* The order of the next step, chosen as in RADAU (Hairer and Wanner, Stiff differential equations
   solved by Radau methods, J. Comput. Appl. Math. 111, 1999): a higher order allows longer steps,
   in which Newton's iteration converges more slowly. So the order is raised while the iteration
   converges fast, and lowered when it does not converge well or steps are rejected in a row. If
   forces have kinks, a higher order gains nothing, and its long steps hide kinks between their
   stages: two rejected steps in a row whose slope is not smooth go on with the lowest order. A step over a
   kink is only as accurate as its estimate, whatever the order: after a doubtful rejected step,
   higher orders lose the wider tolerance that smoothness allows, until they have made steps without
   new doubt.

   The thresholds differ from RADAU's (0.002 and 0.8), whose matrix belongs to the start of a step:
   ours belongs to its middle and converges faster. Over 16 of the problems of
   tests/solver/accuracy/test_references.c 0.02 and 0.05 need up to 6 % more evaluations for errors
   from 1e-4 to 1e-9 than 0.03 does; for 1e-10, 0.02 needs a fifth more. */
#include "integrate/radau.h"

#include <float.h>
#include <math.h>

static const double fast = 0.03, slow = 0.5;      /* rates of Newton's iteration */
static const double fading = 0.8;                 /* of an earlier rate, from step to step */
static const double flat = 0.3;                   /* ratio of coefficients that do not fall */
enum { FIRST_WAIT = 4, LONGEST_WAIT = 256 };      /* steps before the order may be raised ... */
enum { ROUGH_WAIT = 64, KINKS = 2 };              /* ... and after a kink */
enum { PROVEN = 20, REJECTIONS = 3, LOWEST = 5 }; /* steps; in a row; order */
enum { MEMORY = 100 };                            /* of kinks, in steps of higher orders */
static const double direct = 5;                   /* rtol that estimates may have at kinks */

static double rate_of_step(const dfl_radau *ra);
static double flatness(dfl_radau *ra);
static double doubtful(const dfl_radau *ra);
static void lower(dfl_radau *ra, int order, int wait);
static void change(dfl_radau *ra, int order);

void dfl_order_start(dfl_radau *ra)
{
    const dfl_solver_options *opt = ra->base.options;
    ra->order =
        (dfl_order){.automatic = opt->order == 0 && opt->step.fixed == 0, .wait = FIRST_WAIT};
    dfl_radau_use_order(ra, opt->order == 0 ? LOWEST : opt->order);
}

void dfl_order_accepted(dfl_radau *ra, bool after_rejection)
{
    dfl_order *order = &ra->order;
    if (!order->automatic)
        return;
    order->rejections = order->kinks = 0;
    order->steps++;
    order->rate = fmax(rate_of_step(ra), fading * order->rate);
    if (order->doubt > 0 && ra->rk->order > LOWEST)
        order->doubt--;
    if (order->steps == PROVEN && ra->rk->order >= order->given_up)
        order->wait = FIRST_WAIT;
    if (order->steps < order->wait || after_rejection)
        return;
    if (order->rate <= fast && ra->rk->stages < ra->max_stages)
        change(ra, ra->rk->order + 4);
    else if (order->rate > slow && ra->rk->order > LOWEST)
        lower(ra, ra->rk->order - 4, FIRST_WAIT);
}

void dfl_order_rejected(dfl_radau *ra, bool solved)
{
    dfl_order *order = &ra->order;
    if (!order->automatic || ra->rk->order == LOWEST)
        return;
    const double measured = solved ? flatness(ra) : 0;
    if (measured > doubtful(ra))
        order->doubt = MEMORY;
    order->kinks = measured > flat ? order->kinks + 1 : 0;
    if (order->kinks >= KINKS)
        lower(ra, LOWEST, ROUGH_WAIT);
    else if (++order->rejections >= REJECTIONS)
        lower(ra, ra->rk->order - 4, FIRST_WAIT);
}

/* Over a kink the error is about the estimate, or a few times the estimate (measured in the
   wheelset: up to 4 times with three stages, 10 times with five and seven): in doubt its limit is a
   few rtol instead of rtol'. */
double dfl_order_error(const dfl_radau *ra, double err)
{
    const bool doubt = ra->order.doubt > 0 && ra->rk->order > LOWEST;
    const double stricter = doubt ? fmax(1, ra->base.scale->loosened / direct) : 1;
    return fmax(stricter * err, 1e-10);
}

/* With a matrix of an earlier step the iteration converges more slowly, which says little about
   longer steps. */
static double rate_of_step(const dfl_radau *ra)
{
    const dfl_newton *newton = ra->base.newton;
    return newton->old && newton->theta <= slow ? 0 : newton->theta;
}

/* The norm of the coefficient of x' that is `place` from the last of its Legendre series. */
static double coefficient(dfl_radau *ra, int place)
{
    const dfl_coefficients *rk = ra->rk;
    const double *weight = rk->series + place * rk->stages;
    dfl_lanes_combine(ra->y, rk->stages, weight, ra->base.sys->n, ra->Z);
    return dfl_scale_moving(ra->base.scale, ra->y);
}

/* Over a step in which the motion is smooth the coefficients of Legendre's series of x' fall like a
   geometric sequence; at a kink they hardly fall. The last one is compared with two, since the odd
   or the even ones may vanish. Of the problems of tests/solver/accuracy/test_references.c the
   wheelset is flat in 13 and 40 % of the attempts of orders 9 and 13, friction in 6 and 28 %,
   fekete coming to rest in 2 and 6 %, the others in less than 1 %. */
static double flatness(dfl_radau *ra)
{
    const double last = coefficient(ra, 0);
    return last / fmax(DBL_MIN, fmax(coefficient(ra, 1), coefficient(ra, 2)));
}

/* Tests with rtol' keep local errors at rtol if the coefficients go on falling, by rtol/rtol' over
   the s - 1 degrees between the estimate, of order s + 1, and the local error, 2s. The flatness
   spans two degrees at most; twice the remaining ratio is doubtful. */
static double doubtful(const dfl_radau *ra)
{
    const double left = pow(ra->base.scale->loosened, -2.0 / (ra->rk->stages - 1));
    return fmin(flat, 2 * left);
}

/* An order that had to be given up is tried again after more and more steps, at least `wait`, until
   it has proven itself. */
static void lower(dfl_radau *ra, int order, int wait)
{
    const int longer = 2 * ra->order.wait > wait ? 2 * ra->order.wait : wait;
    ra->order.wait = longer < LONGEST_WAIT ? longer : LONGEST_WAIT;
    ra->order.given_up = ra->rk->order;
    change(ra, order);
}

static void change(dfl_radau *ra, int order)
{
    const dfl_stepper *st = &ra->base;
    ra->order.steps = ra->order.rejections = ra->order.kinks = 0;
    st->sys->stats->order_changes++;
    dfl_log(st->options, DFL_LOG_DEBUG, "t = %.10g: order %d, Newton's rate %.2g", st->t, order,
            st->newton->theta);
    dfl_radau_use_order(ra, order);
}
