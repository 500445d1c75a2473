/* svg.c: drawings with axes, curves and legends as SVG: for papers, without a browser.

   Curves have the colours of Okabe and Ito, which can be distinguished with any kind of colour
   vision; dashes distinguish further curves. */
#include "report/report.h"

#include <math.h>
#include <string.h>

enum { COLORS = DFL_SVG_COLORS, DASHES = 4 };

static const char *const colors[COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                           "#e69f00", "#56b4e9", "#000000", "#8a8a8a"};
static const char *const dashes[DASHES] = {
    "", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 3\"", " stroke-dasharray=\"9 3 2 3\""};

static double x_of(const dfl_axes *axes, double x);
static double y_of(const dfl_axes *axes, double y);

void dfl_svg_open(dfl_text *svg, int width, int height, int font_size, const char *title)
{
    dfl_text_add(svg,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                 "viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
                 "font-size=\"%d\">\n<title>",
                 width, height, width, height, font_size);
    dfl_markup_add(svg, title);
    dfl_text_add(svg, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width,
                 height);
}

void dfl_svg_close(dfl_text *svg)
{
    dfl_text_add(svg, "</svg>\n");
}

void dfl_markup_add(dfl_text *text, const char *string)
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

/* ------------------------------------------------------------------------------- axes */

static double x_of(const dfl_axes *axes, double x)
{
    return axes->left + axes->width * (x - axes->low_x) / (axes->high_x - axes->low_x);
}

static double y_of(const dfl_axes *axes, double y)
{
    return axes->top + axes->height * (axes->high_y - y) / (axes->high_y - axes->low_y);
}

void dfl_svg_tick_x(dfl_text *svg, const dfl_axes *axes, double x, const char *label)
{
    const double at = x_of(axes, x);
    dfl_text_add(svg, "<path d=\"M%.2f %dv%d\" stroke=\"#e4e4e4\"/>\n", at, axes->top,
                 axes->height);
    dfl_text_add(svg, "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", at,
                 axes->top + axes->height + 18, label);
}

void dfl_svg_tick_y(dfl_text *svg, const dfl_axes *axes, double y, const char *label)
{
    const double at = y_of(axes, y);
    dfl_text_add(svg, "<path d=\"M%d %.2fh%d\" stroke=\"#e4e4e4\"/>\n", axes->left, at,
                 axes->width);
    dfl_text_add(svg, "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n", axes->left - 8,
                 at + 4.5, label);
}

void dfl_svg_frame(dfl_text *svg, const dfl_axes *axes, const char *x_label, const char *y_label)
{
    dfl_text_add(svg,
                 "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                 "stroke=\"#000000\"/>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                 axes->left, axes->top, axes->width, axes->height, axes->left + axes->width / 2,
                 axes->top + axes->height + 37, x_label);
    if (y_label)
        dfl_text_add(svg,
                     "<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\">%s"
                     "</text>\n",
                     axes->left - 50, axes->top + axes->height / 2, y_label);
}

/* ------------------------------------------------------------------------------- curves */

/* The clip path is named after its place, so that panels do not share it. */
void dfl_svg_curves_open(dfl_text *svg, const dfl_axes *axes)
{
    dfl_text_add(svg,
                 "<clipPath id=\"area%d-%d\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
                 "</clipPath>\n<g clip-path=\"url(#area%d-%d)\" fill=\"none\" stroke-width=\"1.5\" "
                 "stroke-linejoin=\"round\">\n",
                 axes->left, axes->top, axes->left, axes->top, axes->width, axes->height,
                 axes->left, axes->top);
}

void dfl_svg_curves_close(dfl_text *svg)
{
    dfl_text_add(svg, "</g>\n");
}

dfl_pen dfl_svg_curve_open(dfl_text *svg, const dfl_axes *axes, int number)
{
    dfl_text_add(svg, "<path stroke=\"%s\"%s d=\"", colors[number % COLORS],
                 dashes[number / COLORS % DASHES]);
    return (dfl_pen){.svg = svg, .axes = axes};
}

void dfl_svg_curve_to(dfl_pen *pen, double x, double y)
{
    const bool finite = isfinite(x) && isfinite(y);
    if (finite)
        dfl_text_add(pen->svg, "%c%.2f %.2f", pen->down ? 'L' : 'M', x_of(pen->axes, x),
                     y_of(pen->axes, y));
    pen->down = finite;
}

void dfl_svg_curve_close(dfl_pen *pen)
{
    dfl_text_add(pen->svg, "\"/>\n");
}

void dfl_svg_point(dfl_text *svg, const dfl_axes *axes, int number, double x, double y)
{
    dfl_text_add(svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.6\" fill=\"%s\"/>\n", x_of(axes, x),
                 y_of(axes, y), colors[number % COLORS]);
}

void dfl_svg_legend(dfl_text *svg, double x, double y, int number, const char *words)
{
    dfl_text_add(svg, "<path d=\"M%.1f %.1fh22\" stroke=\"%s\" stroke-width=\"2\"%s/>", x, y - 4,
                 colors[number % COLORS], dashes[number / COLORS % DASHES]);
    dfl_text_add(svg, "<text x=\"%.1f\" y=\"%.1f\">", x + 28, y);
    dfl_markup_add(svg, words);
    dfl_text_add(svg, "</text>\n");
}
