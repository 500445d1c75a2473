/* row_sizes.c: how large the rows of W are, not only where the mechanism happens to be.

   A rank must not depend on units, so rows are scaled before it is decided. The size of a row at
   one position is no unit: rows of a loop may vanish at a position although the rank of all rows
   stays, as where all links of Bennett's linkage lie on one line, and what rounding leaves of them
   points anywhere. So rows that are short are looked at again in positions around. */
#include "eom/eom.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

enum { PLACES = 3 };

/* Rows below this part of the largest are short: a factor that does no harm in a rank. */
static const double short_row = 1e-3;

static bool raise_sizes(double *size, dfl_system *sys, dfl_point *point);
static bool any_short(const double *size, int nc);
static void move_positions(dfl_point *point, const dfl_system *sys, const double *x, int place,
                           double part);

void dfl_system_row_sizes(double *size, dfl_system *sys, dfl_point *point, const double *x)
{
    const dfl_trouble trouble = sys->trouble;
    for (int i = 0; i < sys->nc; i++)
        size[i] = 0;
    if (sys->geoms || sys->nc == 0)
        return;
    memcpy(point->x, x, (size_t)sys->n * sizeof *x);
    const bool known = raise_sizes(size, sys, point);
    for (int place = 0; known && place < PLACES && any_short(size, sys->nc); place++)
        for (double part = 0.1; part > 1e-4; part *= 0.1) { /* a callback may refuse far ones */
            move_positions(point, sys, x, place, part);
            if (raise_sizes(size, sys, point) || sys->stopped)
                break;
        }
    memcpy(point->x, x, (size_t)sys->n * sizeof *x);
    sys->trouble = trouble; /* what happens around is no trouble of the start */
}

/* False: W cannot be evaluated there. */
static bool raise_sizes(double *size, dfl_system *sys, dfl_point *point)
{
    const int nv = sys->n3;
    sys->stats->evaluations++;
    if (dfl_system_eval_blocks(sys, point, DFL_DIRECTIONS) ||
        !dfl_all_finite(point->blocks.W, (int)dfl_system_W_entries(sys)))
        return false;
    for (int j = 0; j < nv; j++)
        for (int k = 0, i; k < dfl_system_W_column(sys, j); k++) {
            const double entry = dfl_system_W_entry(&i, sys, point->blocks.W, j, k);
            size[i] = fmax(size[i], fabs(entry));
        }
    return true;
}

static bool any_short(const double *size, int nc)
{
    double largest = 0;
    for (int i = 0; i < nc; i++)
        largest = fmax(largest, size[i]);
    for (int i = 0; i < nc; i++)
        if (size[i] < short_row * largest)
            return true;
    return false;
}

/* By a part of their size, less in mechanisms of small size. */
static void move_positions(dfl_point *point, const dfl_system *sys, const double *x, int place,
                           double part)
{
    const double largest = dfl_max_abs(x + sys->at.sp, sys->n4);
    const double least = largest > 0 && largest < 1 ? largest : 1;
    for (int i = sys->at.sp; i < sys->at.sp + sys->n4; i++)
        point->x[i] = x[i] + part * (least + fabs(x[i])) * dfl_generic(place, i - sys->at.sp);
}
