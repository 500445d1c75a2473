/* compare_draw.c: a comparison as panels of curves on logarithmic axes, and as a page with its table.

   One curve per form and method; a point per tolerance. Colours are those of Okabe and Ito, dashes tell
   further curves apart, so that they can be told without colour, too. */
#include "study/study.h"

#include <math.h>
#include <string.h>

enum { PANEL_WIDTH = 460, PANEL_HEIGHT = 330, LEFT = 58, TOP = 26, RIGHT = 14, BOTTOM = 44 };
enum { COLORS = 8, DASHES = 4, LEGEND_LINE = 18, LEGEND_COLUMN = 230, COLUMNS = 2 };

static const char *const colors[COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                           "#e69f00", "#56b4e9", "#000000", "#8a8a8a"};
static const char *const dashes[DASHES] = {
    "", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\"", " stroke-dasharray=\"9 3 2 3\""};

/* What a panel shows over what. */
typedef double (*number_fn)(const dfl_trial *trial);
typedef struct panel {
    const char *title, *x_label, *y_label;
    number_fn x, y;
} panel;

/* Decades that the axes cover. */
typedef struct axes {
    const panel *panel;
    int x0, y0;                          /* of the panel in the drawing */
    double low_x, high_x, low_y, high_y; /* decimal logarithms */
} axes;

static double tolerance_of(const dfl_trial *trial);
static double seconds_of(const dfl_trial *trial);
static double position_of(const dfl_trial *trial);
static double acceleration_of(const dfl_trial *trial);
static double energy_of(const dfl_trial *trial);
static double multiplier_of(const dfl_trial *trial);
static void draw_panel(dfl_text *text, const dfl_comparison *c, const panel *p, int number);
static bool find_axes(axes *a, const dfl_comparison *c);
static void widen(double *low, double *high, double value);
static void draw_axes(dfl_text *text, const axes *a);
static void draw_curve(dfl_text *text, const dfl_comparison *c, const axes *a, int curve);
static bool place(double *x, double *y, const axes *a, const dfl_trial *trial);
static void draw_legend(dfl_text *text, const dfl_comparison *c, int y);
static void add_page_table(dfl_text *text, const dfl_comparison *c);
static void add_escaped(dfl_text *text, const char *string);

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
    dfl_text_add(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 "
        "%d %d\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<title>",
        width, height, width, height);
    add_escaped(text, c->eq->model->name);
    dfl_text_add(text, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width,
                 height);
    for (int i = 0; i < PANELS; i++)
        draw_panel(text, c, &panels[i], i);
    draw_legend(text, c, rows * PANEL_HEIGHT + 16);
    dfl_text_add(text, "</svg>\n");
}

static void draw_panel(dfl_text *text, const dfl_comparison *c, const panel *p, int number)
{
    axes a = {
        .panel = p, .x0 = number % COLUMNS * PANEL_WIDTH, .y0 = number / COLUMNS * PANEL_HEIGHT};
    dfl_text_add(text, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", a.x0 + LEFT,
                 a.y0 + 16, p->title);
    if (!find_axes(&a, c)) {
        dfl_text_add(text, "<text x=\"%d\" y=\"%d\">none</text>\n", a.x0 + LEFT, a.y0 + 40);
        return;
    }
    draw_axes(text, &a);
    for (int i = 0; i < c->nforms * c->nmethods; i++)
        draw_curve(text, c, &a, i);
}

/* Whole decades around all points; false if there is none. */
static bool find_axes(axes *a, const dfl_comparison *c)
{
    bool any = false;
    a->low_x = a->low_y = INFINITY;
    a->high_x = a->high_y = -INFINITY;
    for (int i = 0; i < c->ntrials; i++) {
        const dfl_trial *trial = &c->trials[i];
        const double x = a->panel->x(trial), y = a->panel->y(trial);
        if (!(trial->completed && x > 0 && isfinite(x) && isfinite(y)))
            continue;
        widen(&a->low_x, &a->high_x, x);
        widen(&a->low_y, &a->high_y, y);
        any = true;
    }
    a->high_x = fmax(a->high_x, a->low_x + 1);
    a->high_y = fmax(a->high_y, a->low_y + 1);
    return any;
}

/* Zeros, which have no logarithm, are drawn as 1e-18. */
static double decimal(double value)
{
    return log10(fmax(value, 1e-18));
}

static void widen(double *low, double *high, double value)
{
    *low = fmin(*low, floor(decimal(value) + 1e-6));
    *high = fmax(*high, ceil(decimal(value) - 1e-6));
}

static double x_of(const axes *a, double decade)
{
    return a->x0 + LEFT +
           (PANEL_WIDTH - LEFT - RIGHT) * (decade - a->low_x) / (a->high_x - a->low_x);
}

static double y_of(const axes *a, double decade)
{
    return a->y0 + TOP +
           (PANEL_HEIGHT - TOP - BOTTOM) * (a->high_y - decade) / (a->high_y - a->low_y);
}

static void draw_axes(dfl_text *text, const axes *a)
{
    const int width = PANEL_WIDTH - LEFT - RIGHT, height = PANEL_HEIGHT - TOP - BOTTOM;
    const int every_x = 1 + (int)(a->high_x - a->low_x) / 9, bottom = a->y0 + TOP + height;
    const int every_y = 1 + (int)(a->high_y - a->low_y) / 12;
    for (double d = a->low_x; d <= a->high_x; d += every_x)
        dfl_text_add(text,
                     "<path d=\"M%.1f %dv%d\" stroke=\"#e4e4e4\"/><text x=\"%.1f\" y=\"%d\" "
                     "text-anchor=\"middle\">1e%d</text>\n",
                     x_of(a, d), a->y0 + TOP, height, x_of(a, d), bottom + 16, (int)d);
    for (double d = a->low_y; d <= a->high_y; d += every_y)
        dfl_text_add(text,
                     "<path d=\"M%d %.1fh%d\" stroke=\"#e4e4e4\"/><text x=\"%d\" y=\"%.1f\" "
                     "text-anchor=\"end\">1e%d</text>\n",
                     a->x0 + LEFT, y_of(a, d), width, a->x0 + LEFT - 6, y_of(a, d) + 4, (int)d);
    dfl_text_add(text,
                 "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                 "stroke=\"#000000\"/>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n"
                 "<text transform=\"translate(%d %d) rotate(-90)\" "
                 "text-anchor=\"middle\">%s</text>\n",
                 a->x0 + LEFT, a->y0 + TOP, width, height, a->x0 + LEFT + width / 2, bottom + 34,
                 a->panel->x_label, a->x0 + 14, a->y0 + TOP + height / 2, a->panel->y_label);
}

static void draw_curve(dfl_text *text, const dfl_comparison *c, const axes *a, int curve)
{
    const dfl_trial *trials = &c->trials[curve * c->ntolerances];
    const int left = c->ntrials - curve * c->ntolerances;
    const char *color = colors[curve % COLORS];
    bool pen_down = false;
    double x, y;
    dfl_text_add(text, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s d=\"", color,
                 dashes[curve / COLORS % DASHES]);
    for (int i = 0; i < c->ntolerances && i < left; i++) {
        const bool there = place(&x, &y, a, &trials[i]);
        if (there)
            dfl_text_add(text, "%c%.1f %.1f", pen_down ? 'L' : 'M', x, y);
        pen_down = there;
    }
    dfl_text_add(text, "\"/>\n");
    for (int i = 0; i < c->ntolerances && i < left; i++)
        if (place(&x, &y, a, &trials[i]))
            dfl_text_add(text, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>\n", x, y,
                         color);
}

static bool place(double *x, double *y, const axes *a, const dfl_trial *trial)
{
    const double u = a->panel->x(trial), v = a->panel->y(trial);
    *x = x_of(a, decimal(u));
    *y = y_of(a, decimal(v));
    return trial->completed && u > 0 && isfinite(u) && isfinite(v);
}

static void draw_legend(dfl_text *text, const dfl_comparison *c, int y)
{
    for (int i = 0; i < c->nforms * c->nmethods; i++) {
        const int column = LEFT + i % 4 * LEGEND_COLUMN, line = y + i / 4 * LEGEND_LINE;
        dfl_text_add(text,
                     "<path d=\"M%d %dh24\" stroke=\"%s\" stroke-width=\"2\"%s/><text x=\"%d\" "
                     "y=\"%d\">%s, %s</text>\n",
                     column, line, colors[i % COLORS], dashes[i / COLORS % DASHES], column + 30,
                     line + 4, dfl_form_name(c->forms[i / c->nmethods]),
                     c->methods[i % c->nmethods]);
    }
}

void dfl_comparison_page(dfl_text *text, const dfl_comparison *c)
{
    dfl_text_add(text, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'\">\n<title>");
    add_escaped(text, c->eq->model->name);
    dfl_text_add(text, " - comparison - Driftless</title>\n<style>body{font:15px/1.4 sans-serif;"
                       "margin:2em auto;max-width:940px;padding:0 1em;color-scheme:light dark}"
                       "pre{overflow-x:auto;font-size:12px}svg{max-width:100%%;height:auto}"
                       "</style>\n</head>\n<body>\n<h1>");
    add_escaped(text, c->eq->model->name);
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
    add_escaped(text, dfl_text_string(&table));
    dfl_text_add(text, "</pre>\n<h2>The model</h2>\n<pre>\n");
    add_escaped(text, c->eq->model->text ? c->eq->model->text : "");
    dfl_text_add(text, "</pre>\n");
    if (table.status && !text->status)
        text->status = table.status;
    dfl_text_clear(&table);
}

static void add_escaped(dfl_text *text, const char *string)
{
    for (size_t length; *string; string += length) {
        length = strcspn(string, "<&");
        dfl_text_bytes(text, string, length);
        if (string[length]) {
            dfl_text_add(text, "%s", string[length] == '<' ? "&lt;" : "&amp;");
            length++;
        }
    }
}
