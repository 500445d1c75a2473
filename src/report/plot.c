/* plot.c: one plot of some columns over time, as SVG: for papers, without a browser.

   A white page with a frame, round ticks, a light grid and a legend; curves in the colours of Okabe and
   Ito, which people with any colour vision can tell apart, with dashes from the ninth on. A gap in a
   curve is where its numbers are not finite. Residuals and step sizes have a logarithmic axis. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 720, LEFT = 76, TOP = 16, PLOT_HEIGHT = 340, BOTTOM = 44, MOST_CURVES = 64 };
enum { PLOT_WIDTH = WIDTH - LEFT - 16, LEGEND_LINE = 18, COLORS = 8 };

static const char *const colors[COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                           "#e69f00", "#56b4e9", "#000000", "#8a8a8a"};

/* What is drawn, and where. */
typedef struct plot {
    FILE *file;
    const dfl_report *report;
    const dfl_thin *table; /* rows or steps */
    int column[MOST_CURVES], count;
    const char *name[MOST_CURVES], *unit[MOST_CURVES]; /* unit: "" where unknown */
    bool logarithmic;                                  /* values are decades */
    double origin;                                     /* is subtracted */
    double t0, t1, low, high;                          /* ranges of the axes */
} plot;

/* The columns of dfl_report.steps. */
enum { STEP_SIZE = 0, STEP_ENERGY = 3, STEP_RESIDUALS = 4 };

/* Round numbers first, first + step, ... that cover a range. */
typedef struct ticks {
    double first, step;
    int count;
    int digits; /* behind the point */
} ticks;

static dfl_status choose(plot *p, const char *columns);
static bool choose_proof(plot *p, const char *columns);
static void take(plot *p, int column, const char *name, const char *unit);
static dfl_status choose_one(plot *p, const char *name, size_t length);
static void choose_all(plot *p);
static void take_column(plot *p, int i);
static double value_of(const plot *p, int row, int column);
static void find_ranges(plot *p);
static double x_of(const plot *p, double t);
static double y_of(const plot *p, double value);
static ticks find_ticks(double low, double high, int about);
static void draw_axes(const plot *p);
static void draw_label(FILE *file, const ticks *on, int i);
static void draw_curves(const plot *p);
static void draw_curve(const plot *p, int i);
static int draw_legend(const plot *p, bool measure);

dfl_status dfl_plot_check(const dfl_report *report, const char *columns)
{
    plot p = {.report = report};
    return choose(&p, columns);
}

dfl_status dfl_plot_write(FILE *file, const dfl_report *report, const char *columns)
{
    plot p = {.file = file, .report = report};
    dfl_status status = choose(&p, columns);
    if (status)
        return status;
    find_ranges(&p);
    const int height = TOP + PLOT_HEIGHT + BOTTOM + draw_legend(&p, true);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n<title>",
            WIDTH, height, WIDTH, height);
    dfl_markup_write(file, report->about->model);
    fprintf(
        file,
        "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n"
        "<clipPath id=\"area\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n",
        WIDTH, height, LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT);
    draw_axes(&p);
    draw_curves(&p);
    draw_legend(&p, false);
    fputs("</svg>\n", file);
    return DFL_OK;
}

/* Names with commas between; without any, what `choose_all` finds; or one word for all that a run proves. */
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

/* The outputs, or without any the positions. */
static void choose_all(plot *p)
{
    const dfl_report *report = p->report;
    for (int i = 0; i < report->about->n && report->about->m == 0 && p->count < COLORS; i++)
        if (!strcmp(report->about->kinds[i], "position"))
            take_column(p, i);
    for (int i = 0; i < report->about->m && p->count < COLORS; i++)
        take_column(p, report->about->n + i);
}

/* With a little room above and below; whole decades. */
static void find_ranges(plot *p)
{
    const int rows = dfl_thin_rows(p->table);
    dfl_thin_range(&p->t0, &p->t1, p->table, -1);
    p->low = p->high = NAN;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < rows; k++) {
            const double value = value_of(p, k, p->column[i]);
            if (!(p->low <= value) && isfinite(value))
                p->low = value;
            if (!(p->high >= value) && isfinite(value))
                p->high = value;
        }
    if (!(p->t1 > p->t0)) {
        p->t0 = isnan(p->t0) ? 0 : p->t0;
        p->t1 = p->t0 + 1;
    }
    if (isnan(p->low))
        p->low = p->high = 0;
    if (p->logarithmic) {
        p->low = floor(p->low);
        p->high = fmax(ceil(p->high), p->low + 1);
        return;
    }
    const double scale = fmax(fabs(p->low), fabs(p->high));
    double room = 0.05 * (p->high - p->low);
    if (!(room > 1e-12 * scale))
        room = scale > 0 ? 0.1 * scale : 1;
    p->low -= room;
    p->high += room;
}

/* As it is drawn: of a logarithmic axis decades; not finite where there is nothing. */
static double value_of(const plot *p, int row, int column)
{
    const double value = dfl_thin_value(p->table, row, column) - p->origin;
    return p->logarithmic ? log10(fabs(value)) : value;
}

static double x_of(const plot *p, double t)
{
    return LEFT + PLOT_WIDTH * (t - p->t0) / (p->t1 - p->t0);
}

static double y_of(const plot *p, double value)
{
    return TOP + PLOT_HEIGHT * (p->high - value) / (p->high - p->low);
}

/* Steps of 1, 2 or 5 times a power of ten. */
static ticks find_ticks(double low, double high, int about)
{
    const double rough = (high - low) / about;
    const double power = pow(10, floor(log10(rough)));
    const double factor = rough / power;
    ticks on = {.step = (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10) * power};
    on.first = ceil(low / on.step - 1e-9) * on.step;
    on.count = (int)floor((high - on.first) / on.step + 1e-9) + 1;
    on.digits = (int)-floor(log10(on.step) + 1e-9);
    return on;
}

static void draw_axes(const plot *p)
{
    const ticks x = find_ticks(p->t0, p->t1, 8);
    ticks y = find_ticks(p->low, p->high, 6);
    if (p->logarithmic && y.step < 1)
        y = (ticks){
            .first = ceil(p->low), .step = 1, .count = (int)(floor(p->high) - ceil(p->low)) + 1};
    FILE *file = p->file;
    for (int i = 0; i < x.count; i++) {
        const double at = x_of(p, x.first + i * x.step);
        fprintf(file, "<path d=\"M%.2f %dv%d\" stroke=\"#e4e4e4\"/>\n", at, TOP, PLOT_HEIGHT);
        fprintf(file, "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">", at,
                TOP + PLOT_HEIGHT + 18);
        draw_label(file, &x, i);
    }
    for (int i = 0; i < y.count; i++) {
        const double at = y_of(p, y.first + i * y.step);
        fprintf(file, "<path d=\"M%d %.2fh%d\" stroke=\"#e4e4e4\"/>\n", LEFT, at, PLOT_WIDTH);
        fprintf(file, "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">", LEFT - 8, at + 4.5);
        if (p->logarithmic)
            fprintf(file, "10<tspan dy=\"-5\" font-size=\"9\">%.0f</tspan></text>\n",
                    y.first + i * y.step);
        else
            draw_label(file, &y, i);
    }
    fprintf(
        file,
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#000000\"/>\n"
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time in s</text>\n",
        LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT, LEFT + PLOT_WIDTH / 2, TOP + PLOT_HEIGHT + 37);
}

/* All labels of an axis have as many digits, or all have exponents. */
static void draw_label(FILE *file, const ticks *on, int i)
{
    double value = on->first + i * on->step;
    if (fabs(value) < 1e-9 * on->step)
        value = 0;
    if (on->digits > 4 || on->digits < -5)
        fprintf(file, "%.4g</text>\n", value);
    else
        fprintf(file, "%.*f</text>\n", on->digits > 0 ? on->digits : 0, value);
}

static void draw_curves(const plot *p)
{
    fputs("<g clip-path=\"url(#area)\" fill=\"none\" stroke-width=\"1.5\" "
          "stroke-linejoin=\"round\">\n",
          p->file);
    for (int i = 0; i < p->count; i++)
        draw_curve(p, i);
    fputs("</g>\n", p->file);
}

static void draw_curve(const plot *p, int i)
{
    const dfl_thin *rows = p->table;
    const int count = dfl_thin_rows(rows);
    bool pen_down = false;
    fprintf(p->file, "<path stroke=\"%s\"%s d=\"", colors[i % COLORS],
            i < COLORS ? "" : " stroke-dasharray=\"6 3\"");
    for (int k = 0; k < count; k++) {
        const double value = value_of(p, k, p->column[i]);
        if (!isfinite(value)) {
            pen_down = false;
            continue;
        }
        fprintf(p->file, "%c%.2f %.2f", pen_down ? 'L' : 'M', x_of(p, dfl_thin_value(rows, k, -1)),
                y_of(p, value));
        pen_down = true;
    }
    fputs("\"/>\n", p->file);
}

/* Below the plot, as many beside each other as fit. Returns its height; only that, to `measure`. */
static int draw_legend(const plot *p, bool measure)
{
    double x = LEFT;
    int line = 0;
    for (int i = 0; i < p->count; i++) {
        const char *name = p->name[i], *unit = p->unit[i];
        const double width = 40 + 7.5 * (double)(strlen(name) + (*unit ? 4 + strlen(unit) : 0));
        if (x > LEFT && x + width > WIDTH - 8) {
            x = LEFT;
            line++;
        }
        const double y = TOP + PLOT_HEIGHT + BOTTOM + 12 + LEGEND_LINE * line;
        if (!measure) {
            fprintf(p->file, "<path d=\"M%.1f %.1fh22\" stroke=\"%s\" stroke-width=\"2\"%s/>", x,
                    y - 4, colors[i % COLORS], i < COLORS ? "" : " stroke-dasharray=\"6 3\"");
            fprintf(p->file, "<text x=\"%.1f\" y=\"%.1f\">", x + 28, y);
            dfl_markup_write(p->file, name);
            fputs(*unit ? " in " : "", p->file);
            dfl_markup_write(p->file, unit);
            fputs("</text>\n", p->file);
        }
        x += width;
    }
    return (line + 1) * LEGEND_LINE + 4;
}
