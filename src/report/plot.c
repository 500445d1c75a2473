/* plot.c: one plot of some columns over time, as SVG.

   A frame, round ticks, a light grid and a legend. Residuals and step sizes have a logarithmic
   axis. */
#include "report/report_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 720, LEFT = 76, TOP = 16, PLOT_HEIGHT = 340, BOTTOM = 44, MOST_CURVES = 64 };
enum { PLOT_WIDTH = WIDTH - LEFT - 16, LEGEND_LINE = 18 };
static const double largest =
    1e300; /* numbers beyond are not drawn: their differences are not finite */

/* What is drawn, and where. */
typedef struct plot {
    dfl_text svg;
    const dfl_report *report;
    const dfl_thin *table; /* rows or steps */
    int column[MOST_CURVES], count;
    const char *name[MOST_CURVES], *unit[MOST_CURVES]; /* unit: "" where unknown */
    bool logarithmic;                                  /* values are decades */
    double origin;                                     /* subtracted from all values */
    dfl_axes axes;
} plot;

/* The columns of dfl_report.steps. */
enum { STEP_SIZE = 0, STEP_ENERGY = 3, STEP_RESIDUALS = 4 };

/* Round numbers first, first + step, ... that cover a range. */
typedef struct ticks {
    double first, step;
    int count;
    int digits; /* after the decimal point */
} ticks;

static dfl_status choose(plot *p, const char *columns);
static bool choose_proof(plot *p, const char *columns);
static void take(plot *p, int column, const char *name, const char *unit);
static dfl_status choose_one(plot *p, const char *name, size_t length);
static void choose_all(plot *p);
static void take_column(plot *p, int i);
static double value_of(const plot *p, int row, int column);
static void find_ranges(plot *p);
static ticks find_ticks(double low, double high, int about);
static void draw_axes(plot *p);
static void write_label(char *label, size_t size, const ticks *on, int i);
static void draw_curves(plot *p);
static int draw_legend(plot *p, bool measure);

dfl_status dfl_plot_check(const dfl_report *report, const char *columns)
{
    plot p = {.report = report};
    return choose(&p, columns);
}

dfl_status dfl_plot_write(FILE *file, const dfl_report *report, const char *columns)
{
    plot p = {.svg = {.ctx = report->ctx}, .report = report};
    dfl_status status = choose(&p, columns);
    if (status)
        return status;
    find_ranges(&p);
    dfl_svg_open(&p.svg, WIDTH, TOP + PLOT_HEIGHT + BOTTOM + draw_legend(&p, true), 13,
                 report->about->model);
    draw_axes(&p);
    draw_curves(&p);
    draw_legend(&p, false);
    dfl_svg_close(&p.svg);
    status = p.svg.status;
    if (!status)
        fwrite(p.svg.data, 1, p.svg.length, file);
    dfl_text_clear(&p.svg);
    return status;
}

/* `columns` is a list of names separated by commas, NULL for what `choose_all` finds, or one word
   of `choose_proof`. */
static dfl_status choose(plot *p, const char *columns)
{
    dfl_status status = DFL_OK;
    p->table = &p->report->rows;
    if (!columns)
        choose_all(p);
    else if (choose_proof(p, columns))
        return DFL_OK;
    while (columns && !status) {
        const size_t length = strcspn(columns, ",");
        status = choose_one(p, columns, length);
        columns = columns[length] ? columns + length + 1 : NULL;
    }
    return status;
}

/* residuals, energy or steps, unless the model has a column of that name. */
static bool choose_proof(plot *p, const char *columns)
{
    const dfl_report *report = p->report;
    const bool residuals = !strcmp(columns, "residuals"), steps = !strcmp(columns, "steps");
    if (!residuals && !steps && strcmp(columns, "energy") != 0)
        return false;
    for (int i = 0; i < report->about->n + report->about->m; i++)
        if (!strcmp(report->about->names[i], columns))
            return false;
    p->table = &report->steps;
    p->logarithmic = residuals || steps;
    if (steps)
        take(p, STEP_SIZE, "step size", "s");
    for (int i = 0; residuals && i < DFL_LEVELS; i++) {
        double low, high;
        dfl_thin_range(&low, &high, p->table, STEP_RESIDUALS + i);
        if (high > 0)
            take(p, STEP_RESIDUALS + i, dfl_level_names[i], "");
    }
    if (!residuals && !steps) {
        take(p, STEP_ENERGY, "change of energy", "J");
        p->origin = dfl_thin_rows(p->table) > 0 ? dfl_thin_value(p->table, 0, STEP_ENERGY) : 0;
    }
    return true;
}

static void take(plot *p, int column, const char *name, const char *unit)
{
    p->column[p->count] = column;
    p->name[p->count] = name;
    p->unit[p->count++] = unit;
}

/* A column of the rows. */
static void take_column(plot *p, int i)
{
    take(p, i, p->report->about->names[i],
         p->report->about->units ? p->report->about->units[i] : "");
}

static dfl_status choose_one(plot *p, const char *name, size_t length)
{
    const dfl_report *report = p->report;
    const int all = report->about->n + report->about->m;
    for (int i = 0; i < all; i++)
        if (strlen(report->about->names[i]) == length &&
            !strncmp(report->about->names[i], name, length)) {
            if (p->count == MOST_CURVES)
                return dfl_fail(report->ctx, DFL_INVALID,
                                "--columns: more than %d curves in one plot", MOST_CURVES);
            take_column(p, i);
            return DFL_OK;
        }
    char word[128];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    const char *nearest = dfl_nearest_word(word, report->about->names, all);
    return dfl_fail(report->ctx, DFL_INVALID, "--columns: there is no column '%s'%s%s%s", word,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* The outputs; without outputs, the positions. */
static void choose_all(plot *p)
{
    const dfl_report *report = p->report;
    for (int i = 0; i < report->about->n && report->about->m == 0 && p->count < DFL_SVG_COLORS; i++)
        if (!strcmp(report->about->kinds[i], "position"))
            take_column(p, i);
    for (int i = 0; i < report->about->m && p->count < DFL_SVG_COLORS; i++)
        take_column(p, report->about->n + i);
}

/* Leaves a little room above and below; a logarithmic axis shows whole decades. */
static void find_ranges(plot *p)
{
    const int rows = dfl_thin_rows(p->table);
    double t0, t1, low = NAN, high = NAN;
    dfl_thin_range(&t0, &t1, p->table, -1);
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < rows; k++) {
            const double value = value_of(p, k, p->column[i]);
            if (!(low <= value) && isfinite(value))
                low = value;
            if (!(high >= value) && isfinite(value))
                high = value;
        }
    if (!(t1 > t0)) {
        t0 = isnan(t0) ? 0 : t0;
        t1 = t0 + 1;
    }
    if (isnan(low))
        low = high = 0;
    if (p->logarithmic) {
        low = floor(low);
        high = fmax(ceil(high), low + 1);
    } else {
        const double scale = fmax(fabs(low), fabs(high));
        double room = 0.05 * (high - low);
        if (!(room > 1e-12 * scale))
            room = scale > 0 ? 0.1 * scale : 1;
        low -= room;
        high += room;
    }
    p->axes = (dfl_axes){LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT, t0, t1, low, high};
}

/* The value as drawn, decades on a logarithmic axis; not finite where nothing is drawn. */
static double value_of(const plot *p, int row, int column)
{
    const double value = dfl_thin_value(p->table, row, column) - p->origin;
    if (!(fabs(value) <= largest))
        return NAN;
    return p->logarithmic ? log10(fabs(value)) : value;
}

/* Steps of 1, 2 or 5 times a power of ten. */
static ticks find_ticks(double low, double high, int about)
{
    const double rough = (high - low) / about;
    const double power = fmax(pow(10, floor(log10(rough))), DBL_MIN);
    const double factor = rough / power;
    ticks on = {.step = (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10) * power};
    on.first = ceil(low / on.step - 1e-9) * on.step;
    on.count = (int)floor((high - on.first) / on.step + 1e-9) + 1;
    on.digits = (int)-floor(log10(on.step) + 1e-9);
    return on;
}

static void draw_axes(plot *p)
{
    const dfl_axes *axes = &p->axes;
    const ticks x = find_ticks(axes->low_x, axes->high_x, 8);
    ticks y = find_ticks(axes->low_y, axes->high_y, 6);
    if (p->logarithmic && y.step < 1)
        y = (ticks){.first = ceil(axes->low_y),
                    .step = 1,
                    .count = (int)(floor(axes->high_y) - ceil(axes->low_y)) + 1};
    char label[80];
    for (int i = 0; i < x.count; i++) {
        write_label(label, sizeof label, &x, i);
        dfl_svg_tick_x(&p->svg, axes, x.first + i * x.step, label);
    }
    for (int i = 0; i < y.count; i++) {
        const double at = y.first + i * y.step;
        if (p->logarithmic)
            snprintf(label, sizeof label, "10<tspan dy=\"-5\" font-size=\"9\">%.0f</tspan>", at);
        else
            write_label(label, sizeof label, &y, i);
        dfl_svg_tick_y(&p->svg, axes, at, label);
    }
    dfl_svg_frame(&p->svg, axes, "time in s", NULL);
}

/* All labels of an axis have the same number of digits, or all have exponents. */
static void write_label(char *label, size_t size, const ticks *on, int i)
{
    double value = on->first + i * on->step;
    if (fabs(value) < 1e-9 * on->step)
        value = 0;
    if (on->digits > 4 || on->digits < -5)
        snprintf(label, size, "%.4g", value);
    else
        snprintf(label, size, "%.*f", on->digits > 0 ? on->digits : 0, value);
}

static void draw_curves(plot *p)
{
    const int rows = dfl_thin_rows(p->table);
    dfl_svg_curves_open(&p->svg, &p->axes);
    for (int i = 0; i < p->count; i++) {
        dfl_pen pen = dfl_svg_curve_open(&p->svg, &p->axes, i);
        for (int k = 0; k < rows; k++)
            dfl_svg_curve_to(&pen, dfl_thin_value(p->table, k, -1), value_of(p, k, p->column[i]));
        dfl_svg_curve_close(&pen);
    }
    dfl_svg_curves_close(&p->svg);
}

/* Draws the legend below the plot, in as few lines as possible, unless it is only to be measured.
   Returns its height. */
static int draw_legend(plot *p, bool measure)
{
    double x = LEFT;
    int line = 0;
    for (int i = 0; i < p->count; i++) {
        dfl_text words = {.ctx = p->svg.ctx};
        dfl_text_add(&words, "%s%s%s", p->name[i], *p->unit[i] ? " in " : "", p->unit[i]);
        const double width = 40 + 7.5 * (double)words.length;
        if (x > LEFT && x + width > WIDTH - 8) {
            x = LEFT;
            line++;
        }
        if (!measure)
            dfl_svg_legend(&p->svg, x, TOP + PLOT_HEIGHT + BOTTOM + 12 + LEGEND_LINE * line, i,
                           dfl_text_string(&words));
        if (words.status && !p->svg.status)
            p->svg.status = words.status;
        dfl_text_clear(&words);
        x += width;
    }
    return (line + 1) * LEGEND_LINE + 4;
}
