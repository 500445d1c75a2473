/* The order of the next step, chosen as in RADAU (Hairer and Wanner, Stiff differential equations
   solved by Radau methods, J. Comput. Appl. Math. 111, 1999): a higher order allows longer steps,
   in which Newton's iteration converges more slowly. So the order is raised while the iteration
   converges fast, and lowered when it does not converge well or steps are rejected in a row. A run
   starts with order 9, which over all problems costs least with every tolerance below 1e-4.

   Near the limits one order is about as good as another, and a step of the higher one two to three
   times as long. If a limit alone decided, the number of steps would jump where a rate crosses it.
   So each step counts for a change by the logarithm of its rate over the limit, and a sum of these
   changes the order: where the rate at the lower order is for the higher one and that at the higher
   order for the lower, they take turns, and the share of each varies steadily. `make tolerances`
   shows it.

   If forces have kinks, a higher order gains nothing, and its long steps hide kinks between their
   stages: two rejected steps in a row whose slope is not smooth go on with a lower order. A step
   over a kink is only as accurate as its estimate, whatever the order: after a doubtful rejected
   step, higher orders lose the wider tolerance that smoothness allows, as far as is needed, and
   get it back over the next steps without new doubt. The low order ends when the kinks do: early if
   many steps in a row fail neither in the iteration nor by much.

   Where the error would allow longer steps than Newton's iteration, as of a body that turns fast,
   every second attempt may fail: then the order is lowered as well.

   Steps that end early, at rows or instants, gain nothing from a higher order: they do not raise
   it, and four in a row that could have been twice as long end order 13, six times as long order 9,
   if order 5 has a polynomial that serves between them. If the lower order then makes steps that
   end before rows and instants, it is given up, and asked for again after twice as many such steps.
   Where Newton's iteration fails right after a switch, the order is lowered at once.

   An estimate may vanish by chance, or because the motions that a long step does not resolve are
   damped in it; the next steps then show what it left. So a part of what Legendre's series of the
   step leaves out is an estimate as well.

   The thresholds differ from RADAU's (0.002 and 0.8), whose matrix belongs to the start of a step:
   ours belongs to its middle and converges faster. */
#include "integrate/radau.h"

#include <float.h>
#include <math.h>

static const double fast = 0.03, slow = 0.5;    /* rates of Newton's iteration ... */
static const double slow_highest = 0.07;        /* ... and with seven stages */
static const double enough = 4;                 /* steps for a change, each at most 1 */
static const double settled = 3;                /* growth: a step that says nothing is so short */
static const double ample = 2, ample_first = 6; /* growth: a step that was cut could be so long,
                                                   with order 13, 9 */
static const double remembered = 0.8, often = 0.9; /* attempts that fail: every second one */
static const double flat = 0.3;                    /* ratio of coefficients that do not fall */
enum { FIRST_WAIT = 4, LONGEST_WAIT = 256 };       /* steps before the order may be raised ... */
enum { ROUGH_WAIT = 64, KINKS = 2 };               /* ... and after a kink */
enum { PROVEN = 30, REJECTIONS = 3 };              /* steps; in a row */
enum { TOO_DEAR = 2 };                             /* steps in a row */
enum { CALM = 22 };                                /* steps of the lowest order without a kink */
static const double sharp = 2;                     /* error of a rejected step at a kink */
enum { LOWEST = 5, FIRST = 9 };                    /* orders */
enum { MEMORY = 100 };                             /* of kinks, in steps of higher orders */
static const double direct = 5;                    /* rtol that estimates may have at kinks */
static const double part = 0.03, tenfold = 10;     /* of the next coefficient; of the estimate */
static const double left_out = 1;                  /* rtol: the integral of it is a fourteenth */

static bool wasteful(dfl_radau *ra, bool cut, double growth);
static bool too_low(dfl_radau *ra, bool long_enough, long long cost);
static double coefficient(dfl_radau *ra, int place);
static double next_coefficient(dfl_radau *ra, double least);
static bool may_raise(const dfl_radau *ra);
static void weigh(dfl_radau *ra, bool long_enough);
static double rate_of_step(const dfl_radau *ra);
static double neglected(dfl_radau *ra, double least);
static double flatness(dfl_radau *ra);
static void doubt(dfl_radau *ra, double measured);
static void lower(dfl_radau *ra, int wait);
static void change(dfl_radau *ra, int order);

void dfl_order_start(dfl_radau *ra)
{
    const dfl_solver_options *opt = ra->base.options;
    const bool automatic = opt->order == 0 && opt->step.fixed == 0;
    ra->order = (dfl_order){
        .automatic = automatic, .wait = {FIRST_WAIT, FIRST_WAIT}, .patience = FIRST_WAIT};
    dfl_radau_use_order(ra, automatic ? FIRST : opt->order == 0 ? LOWEST : opt->order);
}

/* The number of steps before an order is tried again. */
static int *wait_for(dfl_order *order, int higher)
{
    return &order->wait[higher > FIRST];
}

void dfl_order_accepted(dfl_radau *ra, double growth, bool cut, bool after_rejection)
{
    dfl_order *order = &ra->order;
    if (!order->automatic || order->again)
        return;
    order->rejections = order->kinks = 0;
    order->steps++;
    order->calm++;
    if (growth < settled)
        weigh(ra, cut && growth >= 1);
    order->failing *= remembered;
    if (order->doubt > 0 && ra->rk->order > LOWEST)
        order->doubt--;
    if (ra->rk->order > LOWEST && order->steps >= PROVEN &&
        order->steps >= *wait_for(order, ra->rk->order))
        *wait_for(order, ra->rk->order) = FIRST_WAIT;
    const long long iterations = ra->base.sys->stats->back_substitutions;
    const long long cost = ra->rk->stages * (iterations - order->spent);
    order->spent = iterations;
    if (too_low(ra, cut && growth >= 1, cost)) {
        change(ra, ra->rk->order + 4);
        return;
    }
    if (wasteful(ra, cut, growth)) {
        change(ra, ra->rk->order - 4);
        order->thrifty = true;
        order->before = cost;
        return;
    }
    if (order->steps < FIRST_WAIT || after_rejection)
        return;
    if (order->for_higher >= enough && may_raise(ra))
        change(ra, ra->rk->order + 4);
    else if (order->for_lower >= enough && ra->rk->order > LOWEST)
        change(ra, ra->rk->order - 4);
}

void dfl_order_rejected(dfl_radau *ra, bool solved, double err)
{
    dfl_order *order = &ra->order;
    if (!solved || err > sharp)
        order->calm = 0;
    if (!order->automatic || ra->rk->order == LOWEST)
        return;
    const double measured = solved ? flatness(ra) : 0;
    doubt(ra, measured);
    if (!solved)
        order->failing += 1 - remembered;
    order->kinks = measured > flat ? order->kinks + 1 : 0;
    const int most = ra->rk->order > FIRST ? REJECTIONS : 2 * REJECTIONS;
    if (order->kinks >= KINKS)
        lower(ra, ra->rk->order > FIRST ? ROUGH_WAIT / 4 : ROUGH_WAIT);
    else if (++order->rejections >= most || order->failing > often || (!solved && ra->base.resumed))
        lower(ra, FIRST_WAIT);
}

/* In doubt estimates are taken as larger, the less the longer ago the doubt arose. What the series
   leaves out counts tenfold the estimate at most: if positions are prescribed, it says nothing. */
double dfl_order_error(dfl_radau *ra, double err)
{
    const dfl_order *order = &ra->order;
    err = fmax(err, fmin(tenfold * err, part * neglected(ra, err / part)));
    const bool doubtful = order->doubt > 0 && ra->rk->order > LOWEST;
    const double stricter =
        doubtful
            ? exp(order->doubt *
                  fmin(order->strict, log(fmax(1, ra->base.scale->loosened / direct))) / MEMORY)
            : 1;
    return fmax(stricter * err, 1e-10);
}

/* Whether the wait for the next higher order is over. */
static bool may_raise(const dfl_radau *ra)
{
    const dfl_order *order = &ra->order;
    const bool calm = ra->rk->order == LOWEST && order->calm >= CALM;
    return ra->rk->stages < ra->max_stages &&
           (calm || order->steps >= order->wait[ra->rk->order >= FIRST]);
}

/* Whether what order 5 leaves out of x', of degree 3, is far below rtol: with five stages the last
   but one coefficient. Estimates do not see prescribed motions, of which there is the polynomial
   alone between the ends of steps; and rows alone shall not make results less accurate. */
static bool low_order_serves(dfl_radau *ra)
{
    const double next = ra->rk->order == LOWEST ? next_coefficient(ra, 0) : coefficient(ra, 1);
    return next * ra->base.scale->loosened <= left_out;
}

/* Whether steps of a high order were cut so far that a lower one will do. It is asked again after
   more and more steps. */
static bool wasteful(dfl_radau *ra, bool cut, double growth)
{
    dfl_order *order = &ra->order;
    const double enough_room = ra->rk->order > FIRST ? ample : ample_first;
    order->slack = cut && growth >= enough_room ? order->slack + 1 : 0;
    if (ra->rk->order <= LOWEST || order->slack < order->patience)
        return false;
    if (ra->rk->order == FIRST && !low_order_serves(ra))
        return false;
    order->patience = order->patience < LONGEST_WAIT ? 2 * order->patience : LONGEST_WAIT;
    return true;
}

/* Whether an order that was lowered because steps were cut makes steps that are not, that cost as
   much, or whose polynomial leaves something out. */
static bool too_low(dfl_radau *ra, bool long_enough, long long cost)
{
    dfl_order *order = &ra->order;
    const bool dear =
        order->thrifty && (!long_enough || cost >= order->before || !low_order_serves(ra));
    order->too_dear = dear ? order->too_dear + 1 : 0;
    return order->too_dear >= TOO_DEAR && ra->rk->stages < ra->max_stages;
}

static double vote(double rate, double limit)
{
    return fmax(-1, fmin(1, log(rate / limit)));
}

/* What the rate of a step says for other orders; a higher one gains nothing where steps are cut
   that are `long_enough`. */
static void weigh(dfl_radau *ra, bool long_enough)
{
    dfl_order *order = &ra->order;
    const double rate = fmax(DBL_EPSILON, rate_of_step(ra));
    const double limit = ra->rk->order > FIRST ? slow_highest : slow;
    if (!long_enough)
        order->for_higher = fmax(0, order->for_higher - vote(rate, fast));
    order->for_lower = fmax(0, order->for_lower + vote(rate, limit));
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
    dfl_lanes_combine(ra->term, rk->stages, weight, ra->base.sys->n, ra->Z);
    return dfl_scale_moving(ra->base.scale, ra->term);
}

/* The coefficient after the last one, if they go on falling as the last ones do; 0 where it is
   certainly below `least`. */
static double next_coefficient(dfl_radau *ra, double least)
{
    const double last = coefficient(ra, 0);
    if (!(last > least))
        return 0;
    const double fall = fmax(last / fmax(DBL_MIN, coefficient(ra, 1)),
                             sqrt(last / fmax(DBL_MIN, coefficient(ra, 2))));
    return last * fmin(1, fall);
}

/* 0 with three stages, whose coefficients are too few, and with an order that was asked for, which
   has RADAU's estimate. */
static double neglected(dfl_radau *ra, double least)
{
    return ra->order.automatic && ra->rk->order > FIRST ? next_coefficient(ra, least) : 0;
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
   spans two degrees at most: what its power, with half of it, leaves above rtol must be made up
   for. Over a kink the error is about the estimate, or a few times the estimate (measured in the
   wheelset: up to 4 times with three stages, 10 times with five and seven): its limit is a few
   rtol. */
static void doubt(dfl_radau *ra, double measured)
{
    dfl_order *order = &ra->order;
    const double loosened = ra->base.scale->loosened;
    const double left = measured > flat ? loosened / direct
                                        : loosened * pow(measured / 2, 0.5 * (ra->rk->stages - 1));
    const double strict = log(fmax(1, fmin(left, loosened / direct)));
    if (strict > order->strict * order->doubt / MEMORY) {
        order->strict = strict;
        order->doubt = MEMORY;
    }
}

/* An order that had to be given up is tried again after more and more steps, at least `wait`, until
   it has lasted for as many. What 13 did says nothing about 9. */
static void lower(dfl_radau *ra, int wait)
{
    int *before = wait_for(&ra->order, ra->rk->order);
    const int longer = 2 * *before > wait ? 2 * *before : wait;
    *before = longer < LONGEST_WAIT ? longer : LONGEST_WAIT;
    ra->order.calm = 0;
    change(ra, ra->rk->order - 4);
}

static void change(dfl_radau *ra, int order)
{
    const dfl_stepper *st = &ra->base;
    ra->order.for_higher = ra->order.for_lower = ra->order.failing = 0;
    ra->order.steps = ra->order.rejections = ra->order.kinks = ra->order.slack = 0;
    ra->order.thrifty = false;
    ra->order.too_dear = 0;
    st->sys->stats->order_changes++;
    dfl_log(st->options, DFL_LOG_DEBUG, "t = %.10g: order %d, Newton's rate %.2g", st->t, order,
            st->newton->theta);
    dfl_radau_use_order(ra, order);
}
