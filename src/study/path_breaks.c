/* path_breaks.c: functions of time that are not as smooth as a drive needs them.

   With the unknowns held each row is a function of time, of which the derivatives D0, D1, ... are
   known. Where all of them are continuous, the change of D_k over an interval is the integral of
   D_k+1. A jump leaves a difference, however short the interval is. */
#include "study/inverse_internal.h"

#include "symbolic/symbolic.h"

#include <math.h>

enum { PIECES = 200, NODES = 5, DEEPEST = 45 };

/* Rows and their derivatives by time at one state. */
typedef struct rows_of_time {
    const dfl_pursuit *it;
    int count, orders; /* derivatives 0 to orders - 1 of each row */
    dfl_tape *tape;
    double *work, *value; /* count x orders: all derivatives of a row together */
} rows_of_time;

static dfl_status derive(rows_of_time *out, const dfl_expr *rows);
static void evaluate(const rows_of_time *rows, double t);
static bool find_jump(double *where, const rows_of_time *rows, int row, int order);
static double difference(const rows_of_time *rows, int at, double a, double b);

static void clear(rows_of_time *rows)
{
    dfl_context *ctx = ctx_of(rows->it->run);
    dfl_tape_free(rows->tape);
    dfl_free(ctx, rows->work);
}

dfl_status dfl_path_breaks(dfl_path_break *out, const dfl_pursuit *it, const dfl_expr *rows,
                           int count, int orders)
{
    rows_of_time all = {.it = it, .count = count, .orders = orders + 1};
    *out = (dfl_path_break){.row = -1};
    bool timed = false;
    for (int i = 0; i < count; i++)
        timed = timed || dfl_depends(eq_of(it->run)->graph, rows[i], DFL_SYM_TIME);
    if (!timed || orders < 1)
        return DFL_OK;
    const dfl_status status = derive(&all, rows);
    for (int k = 0; !status && out->row < 0 && k < orders; k++)
        for (int i = 0; out->row < 0 && i < count; i++)
            if (find_jump(&out->t, &all, i, k)) {
                out->row = i;
                out->order = k;
            }
    clear(&all);
    return status;
}

static dfl_status derive(rows_of_time *out, const dfl_expr *rows)
{
    const dfl_equations *eq = eq_of(out->it->run);
    dfl_context *ctx = ctx_of(out->it->run);
    const int all = out->count * out->orders;
    const dfl_expr time = dfl_symbol_expr(eq->graph, DFL_SYM_TIME, 0, "time"),
                   one = dfl_constant(eq->graph, 1);
    dfl_place places[DFL_SYM_KINDS] = {{0}};
    dfl_expr *each = dfl_exprs(eq, all);
    dfl_target *target = dfl_alloc(ctx, (size_t)all, sizeof *target);
    dfl_status status = each && target ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < out->count; i++)
        each[i] = rows[i];
    for (int k = 1; !status && k < out->orders; k++)
        status = dfl_along_exprs(each + k * out->count, eq->graph, each + (k - 1) * out->count,
                                 out->count, &time, &one, 1);
    for (int i = 0; !status && i < all; i++)
        target[i] = (dfl_target){each[i], 0, i % out->count * out->orders + i / out->count};
    dfl_runnable_places(places, eq);
    if (!status)
        status = dfl_tape_create(&out->tape, ctx, eq->graph, places, target, all);
    if (!status) {
        const size_t work = dfl_tape_work(out->tape);
        out->work = dfl_alloc(ctx, work + (size_t)all, sizeof *out->work);
        out->value = out->work + work;
        status = out->work ? DFL_OK : DFL_NO_MEMORY;
    }
    dfl_free(ctx, each);
    dfl_free(ctx, target);
    return status;
}

static void evaluate(const rows_of_time *rows, double t)
{
    const dfl_numbers numbers =
        dfl_runnable_numbers(rows->it->run, t, rows->it->out->x, rows->it->force);
    const double *in[DFL_IN_ARRAYS] = {[DFL_IN_TIME] = &t,
                                       [DFL_IN_X] = numbers.x,
                                       [DFL_IN_A] = numbers.a,
                                       [DFL_IN_PARAM] = numbers.param,
                                       [DFL_IN_INPUT] = numbers.input,
                                       [DFL_IN_LEVEL] = numbers.level,
                                       [DFL_IN_BRANCH] = numbers.branch,
                                       [DFL_IN_DISCRETE] = numbers.discrete};
    double *out[] = {rows->value};
    dfl_tape_prepare(rows->tape, rows->work, in);
    dfl_tape_eval(rows->tape, rows->work, in, out);
}

/* The first jump of a derivative inside the run. */
static bool find_jump(double *where, const rows_of_time *rows, int row, int order)
{
    const dfl_settings *settings = rows->it->settings;
    const double from = settings->from, length = settings->to - from;
    const int at = row * rows->orders + order;
    double size = 0;
    for (int i = 0; i <= PIECES; i++) {
        evaluate(rows, from + length * i / PIECES);
        const double value = fabs(rows->value[at]), rate = fabs(rows->value[at + 1]);
        size = fmax(size, fmax(isfinite(value) ? value : 0, isfinite(rate) ? rate * length : 0));
    }
    for (int i = 0; i < PIECES; i++) {
        double a = from + length * i / PIECES, b = from + length * (i + 1) / PIECES;
        double jump = difference(rows, at, a, b);
        for (int k = 0; k < DEEPEST && fabs(jump) > 1e-7 * size && b - a > 1e-12 * length; k++) {
            const double middle = (a + b) / 2, left = difference(rows, at, a, middle),
                         right = difference(rows, at, middle, b);
            const bool first = fabs(left) >= fabs(right);
            jump = first ? left : right;
            *(first ? &b : &a) = middle;
        }
        const double margin = 1e-9 * length; /* beginning and end have one side */
        if (fabs(jump) > 1e-7 * size && a > from + margin && b < settings->to - margin) {
            *where = b;
            return true;
        }
    }
    return false;
}

/* D(b) - D(a) less the integral of the next derivative, by the rule of Gauss; 0 where it is not
   finite. */
static double difference(const rows_of_time *rows, int at, double a, double b)
{
    static const double node[NODES] = {-0.9061798459386640, -0.5384693101056831, 0,
                                       0.5384693101056831, 0.9061798459386640};
    static const double weight[NODES] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                         0.4786286704993665, 0.2369268850561891};
    double sum = 0;
    for (int i = 0; i < NODES; i++) {
        evaluate(rows, (a + b) / 2 + (b - a) / 2 * node[i]);
        sum -= (b - a) / 2 * weight[i] * rows->value[at + 1];
    }
    evaluate(rows, b);
    sum += rows->value[at];
    evaluate(rows, a);
    sum -= rows->value[at];
    return isfinite(sum) ? sum : 0;
}
