/* compare_draw.c: a comparison as panels of curves on logarithmic axes, and as a page with its
   table.

   One curve per form and method; a point per tolerance. */
#include "study/study.h"

#include "report/report.h"

#include <math.h>
#include <stdio.h>

enum { PANEL_WIDTH = 460, PANEL_HEIGHT = 330, LEFT = 64, TOP = 26, RIGHT = 14, BOTTOM = 44 };
enum { LEGEND_LINE = 18, LEGEND_COLUMN = 230, COLUMNS = 2 };

/* What a panel shows over what. */
typedef double (*number_fn)(const dfl_trial *trial);
typedef struct panel {
    const char *title, *x_label, *y_label;
    number_fn x, y;
} panel;

static double tolerance_of(const dfl_trial *trial);
static double seconds_of(const dfl_trial *trial);
static double position_of(const dfl_trial *trial);
static double acceleration_of(const dfl_trial *trial);
static double energy_of(const dfl_trial *trial);
static double multiplier_of(const dfl_trial *trial);
static void draw_panel(dfl_text *text, const dfl_comparison *c, const panel *p, int number);
static bool find_axes(dfl_axes *axes, const dfl_comparison *c, const panel *p);
static bool place(double *x, double *y, const panel *p, const dfl_trial *trial);
static void widen(double *low, double *high, double decade);
static void draw_axes(dfl_text *text, const dfl_axes *axes, const panel *p);
static void draw_curves(dfl_text *text, const dfl_comparison *c, const dfl_axes *axes,
                        const panel *p);
static void draw_legend(dfl_text *text, const dfl_comparison *c, int y);
static void add_page_table(dfl_text *text, const dfl_comparison *c);

static const panel panels[] = {
    {"work and precision", "error of p and v at the end", "seconds", dfl_trial_error, seconds_of},
    {"error over tolerance", "tolerance", "error of p and v", tolerance_of, dfl_trial_error},
    {"multipliers over tolerance", "tolerance", "error of the multipliers", tolerance_of,
     multiplier_of},
    {"position constraints", "tolerance", "largest residual", tolerance_of, position_of},
    {"velocity constraints", "tolerance", "largest residual", tolerance_of, dfl_trial_velocity},
    {"acceleration constraints", "tolerance", "largest residual", tolerance_of, acceleration_of},
    {"energy", "tolerance", "largest drift", tolerance_of, energy_of}};
enum { PANELS = sizeof panels / sizeof *panels };

static double tolerance_of(const dfl_trial *trial)
{
    return trial->tolerance;
}

static double seconds_of(const dfl_trial *trial)
{
    return trial->seconds;
}

static double position_of(const dfl_trial *trial)
{
    return trial->levels[0];
}

static double acceleration_of(const dfl_trial *trial)
{
    return trial->levels[2];
}

static double energy_of(const dfl_trial *trial)
{
    return trial->energy_drift;
}

static double multiplier_of(const dfl_trial *trial)
{
    return trial->error_l;
}

void dfl_comparison_plot(dfl_text *text, const dfl_comparison *c)
{
    const int curves = c->nforms * c->nmethods, rows = (PANELS + COLUMNS - 1) / COLUMNS;
    const int legend = LEGEND_LINE * ((curves + 3) / 4) + 24;
    const int width = COLUMNS * PANEL_WIDTH, height = rows * PANEL_HEIGHT + legend;
    dfl_svg_open(text, width, height, 12, c->eq->model->name);
    for (int i = 0; i < PANELS; i++)
        draw_panel(text, c, &panels[i], i);
    draw_legend(text, c, rows * PANEL_HEIGHT + 16);
    dfl_svg_close(text);
}

static void draw_panel(dfl_text *text, const dfl_comparison *c, const panel *p, int number)
{
    dfl_axes axes = {.left = number % COLUMNS * PANEL_WIDTH + LEFT,
                     .top = number / COLUMNS * PANEL_HEIGHT + TOP,
                     .width = PANEL_WIDTH - LEFT - RIGHT,
                     .height = PANEL_HEIGHT - TOP - BOTTOM};
    dfl_text_add(text, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", axes.left,
                 axes.top - 10, p->title);
    if (!find_axes(&axes, c, p)) {
        dfl_text_add(text, "<text x=\"%d\" y=\"%d\">none</text>\n", axes.left, axes.top + 14);
        return;
    }
    draw_axes(text, &axes, p);
    draw_curves(text, c, &axes, p);
}

/* Whole decades around all points; false if there is none. */
static bool find_axes(dfl_axes *axes, const dfl_comparison *c, const panel *p)
{
    bool any = false;
    axes->low_x = axes->low_y = INFINITY;
    axes->high_x = axes->high_y = -INFINITY;
    for (int i = 0; i < c->ntrials; i++) {
        double x, y;
        if (!place(&x, &y, p, &c->trials[i]))
            continue;
        widen(&axes->low_x, &axes->high_x, x);
        widen(&axes->low_y, &axes->high_y, y);
        any = true;
    }
    axes->high_x = fmax(axes->high_x, axes->low_x + 1);
    axes->high_y = fmax(axes->high_y, axes->low_y + 1);
    return any;
}

/* The decades of a trial's point. Zeros, which have no logarithm, are drawn as 1e-18. */
static bool place(double *x, double *y, const panel *p, const dfl_trial *trial)
{
    const double u = p->x(trial), v = p->y(trial);
    const bool there = trial->completed && u > 0 && isfinite(u) && isfinite(v);
    *x = there ? log10(fmax(u, 1e-18)) : NAN;
    *y = there ? log10(fmax(v, 1e-18)) : NAN;
    return there;
}

static void widen(double *low, double *high, double decade)
{
    *low = fmin(*low, floor(decade + 1e-6));
    *high = fmax(*high, ceil(decade - 1e-6));
}

static void draw_axes(dfl_text *text, const dfl_axes *axes, const panel *p)
{
    const int every_x = 1 + (int)(axes->high_x - axes->low_x) / 9;
    const int every_y = 1 + (int)(axes->high_y - axes->low_y) / 12;
    char label[16];
    for (double d = axes->low_x; d <= axes->high_x; d += every_x) {
        snprintf(label, sizeof label, "1e%d", (int)d);
        dfl_svg_tick_x(text, axes, d, label);
    }
    for (double d = axes->low_y; d <= axes->high_y; d += every_y) {
        snprintf(label, sizeof label, "1e%d", (int)d);
        dfl_svg_tick_y(text, axes, d, label);
    }
    dfl_svg_frame(text, axes, p->x_label, p->y_label);
}

/* All curves, then all points over them. */
static void draw_curves(dfl_text *text, const dfl_comparison *c, const dfl_axes *axes,
                        const panel *p)
{
    const int curves = c->nforms * c->nmethods;
    double x, y;
    dfl_svg_curves_open(text, axes);
    for (int i = 0; i < curves; i++) {
        dfl_pen pen = dfl_svg_curve_open(text, axes, i);
        for (int k = i * c->ntolerances; k < (i + 1) * c->ntolerances && k < c->ntrials; k++) {
            place(&x, &y, p, &c->trials[k]);
            dfl_svg_curve_to(&pen, x, y);
        }
        dfl_svg_curve_close(&pen);
    }
    dfl_svg_curves_close(text);
    for (int k = 0; k < c->ntrials; k++)
        if (place(&x, &y, p, &c->trials[k]))
            dfl_svg_point(text, axes, k / c->ntolerances, x, y);
}

static void draw_legend(dfl_text *text, const dfl_comparison *c, int y)
{
    for (int i = 0; i < c->nforms * c->nmethods; i++) {
        char words[80];
        snprintf(words, sizeof words, "%s, %s", dfl_form_name(c->forms[i / c->nmethods]),
                 c->methods[i % c->nmethods]);
        dfl_svg_legend(text, LEFT + i % 4 * LEGEND_COLUMN, y + 4 + i / 4 * LEGEND_LINE, i, words);
    }
}

void dfl_comparison_page(dfl_text *text, const dfl_comparison *c)
{
    dfl_text_add(text, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'\">\n<title>");
    dfl_markup_add(text, c->eq->model->name);
    dfl_text_add(text, " - comparison - Driftless</title>\n<style>body{font:15px/1.4 sans-serif;"
                       "margin:2em auto;max-width:940px;padding:0 1em;color-scheme:light dark}"
                       "pre{overflow-x:auto;font-size:12px}svg{max-width:100%%;height:auto}"
                       "</style>\n</head>\n<body>\n<h1>");
    dfl_markup_add(text, c->eq->model->name);
    dfl_text_add(text, ": forms and methods side by side</h1>\n");
    dfl_comparison_plot(text, c);
    add_page_table(text, c);
    dfl_text_add(text, "</body>\n</html>\n");
}

static void add_page_table(dfl_text *text, const dfl_comparison *c)
{
    dfl_text table = {.ctx = text->ctx};
    dfl_comparison_text(&table, c);
    dfl_text_add(text, "<pre>\n");
    dfl_markup_add(text, dfl_text_string(&table));
    dfl_text_add(text, "</pre>\n<h2>The model</h2>\n<pre>\n");
    dfl_markup_add(text, c->eq->model->text ? c->eq->model->text : "");
    dfl_text_add(text, "</pre>\n");
    if (table.status && !text->status)
        text->status = table.status;
    dfl_text_clear(&table);
}
