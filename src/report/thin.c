/* thin.c: a table of any length in bounded memory. */
#include "report/thin_internal.h"

#include <math.h>
#include <string.h>

enum { MOST = 8192, MOST_WHOLE = 32768 };

static void start_bucket(dfl_thin *thin, double time, const double *row);
static void extend_bucket(dfl_thin *thin, double time, const double *row);
static void merge(dfl_thin *thin);
static void merge_column(dfl_thin *thin, size_t to, size_t a, size_t b);

dfl_status dfl_thin_create(dfl_thin *out, dfl_context *ctx, int columns, bool whole, size_t numbers)
{
    const size_t width = columns > 0 ? (size_t)columns : 1;
    const size_t most = whole ? MOST_WHOLE : MOST;
    size_t room = numbers / width / (whole ? 1 : 2);
    room = room > most ? most : room < DFL_THIN_FEWEST ? DFL_THIN_FEWEST : room & ~(size_t)1;
    *out = (dfl_thin){.ctx = ctx, .columns = columns, .whole = whole, .room = (int)room, .per = 1};
    out->first = dfl_alloc(ctx, room, sizeof(double));
    out->last = dfl_alloc(ctx, room, sizeof(double));
    out->low = dfl_alloc(ctx, room * width, sizeof(double));
    out->high = whole ? NULL : dfl_alloc(ctx, room * width, sizeof(double));
    out->rising = whole ? NULL : dfl_alloc(ctx, room * width, 1);
    out->final = dfl_alloc(ctx, width + 1, sizeof(double));
    const bool done =
        out->first && out->last && out->low && out->final && (whole || (out->high && out->rising));
    return done ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_thin_clear(dfl_thin *thin)
{
    void *const blocks[] = {thin->first, thin->last,   thin->low,
                            thin->high,  thin->rising, thin->final};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(thin->ctx, blocks[i]);
    *thin = (dfl_thin){0};
}

void dfl_thin_add(dfl_thin *thin, double time, const double *row)
{
    const size_t width = (size_t)thin->columns;
    if (thin->rows % thin->per != 0) {
        extend_bucket(thin, time, row);
    } else {
        if (thin->count == thin->room)
            merge(thin); /* the number of buckets is even, so that the next row starts one */
        start_bucket(thin, time, row);
    }
    if (thin->whole) {
        thin->final[0] = time;
        memcpy(thin->final + 1, row, width * sizeof *row);
    }
    thin->rows++;
}

int dfl_thin_rows(const dfl_thin *thin)
{
    if (thin->per == 1)
        return thin->count;
    if (!thin->whole)
        return 2 * thin->count;
    return thin->count + (thin->rows > 0 && thin->final[0] != thin->first[thin->count - 1]);
}

double dfl_thin_value(const dfl_thin *thin, int row, int column)
{
    if (row == thin->count && thin->whole)
        return thin->final[column + 1];
    if (thin->whole || thin->per == 1)
        return column < 0 ? thin->first[row] : thin->low[row * thin->columns + column];
    const int bucket = row / 2;
    const bool second = row % 2 != 0;
    if (column < 0)
        return second ? thin->last[bucket] : thin->first[bucket];
    const size_t place = (size_t)bucket * (size_t)thin->columns + (size_t)column;
    return (thin->rising[place] != 0) == second ? thin->high[place] : thin->low[place];
}

void dfl_thin_range(double *low, double *high, const dfl_thin *thin, int column)
{
    const int rows = dfl_thin_rows(thin);
    *low = *high = NAN;
    for (int i = 0; i < rows; i++) {
        const double value = dfl_thin_value(thin, i, column);
        if (!(*low <= value) && isfinite(value))
            *low = value;
        if (!(*high >= value) && isfinite(value))
            *high = value;
    }
}

static void start_bucket(dfl_thin *thin, double time, const double *row)
{
    const size_t width = (size_t)thin->columns, start = (size_t)thin->count * width;
    thin->first[thin->count] = thin->last[thin->count] = time;
    memcpy(thin->low + start, row, width * sizeof *row);
    if (!thin->whole) {
        memcpy(thin->high + start, row, width * sizeof *row);
        memset(thin->rising + start, 1, width);
    }
    thin->count++;
}

/* Of whole rows the bucket keeps the first. Any number replaces NAN. */
static void extend_bucket(dfl_thin *thin, double time, const double *row)
{
    const size_t width = (size_t)thin->columns, start = (size_t)(thin->count - 1) * width;
    thin->last[thin->count - 1] = time;
    for (size_t i = 0; !thin->whole && i < width; i++) {
        double *low = &thin->low[start + i], *high = &thin->high[start + i];
        if (isnan(row[i]))
            continue;
        const bool lower = !(row[i] >= *low), higher = !(row[i] <= *high);
        if (lower)
            *low = row[i];
        if (higher)
            *high = row[i];
        if (lower != higher)
            thin->rising[start + i] = higher;
    }
}

/* Merges neighbours: bucket k gets buckets 2 k and 2 k + 1. */
static void merge(dfl_thin *thin)
{
    const size_t width = (size_t)thin->columns;
    for (int k = 0; k < thin->count / 2; k++) {
        const size_t to = (size_t)k * width, a = 2 * to, b = a + width;
        thin->first[k] = thin->first[2 * k];
        thin->last[k] = thin->last[2 * k + 1];
        for (size_t i = 0; i < width; i++)
            merge_column(thin, to + i, a + i, b + i);
    }
    thin->count /= 2;
    thin->per *= 2;
}

static void merge_column(dfl_thin *thin, size_t to, size_t a, size_t b)
{
    if (thin->whole) {
        thin->low[to] = thin->low[a];
        return;
    }
    const bool low_in_b = !(thin->low[a] <= thin->low[b]) && !isnan(thin->low[b]);
    const bool high_in_b = !(thin->high[a] >= thin->high[b]) && !isnan(thin->high[b]);
    const double low = low_in_b ? thin->low[b] : thin->low[a];
    const double high = high_in_b ? thin->high[b] : thin->high[a];
    thin->rising[to] = low_in_b == high_in_b ? thin->rising[low_in_b ? b : a] : high_in_b;
    thin->low[to] = low;
    thin->high[to] = high;
}
