/* report.h: a run for people: one HTML page with plots and an animation, or one plot as SVG; and
   what drawings as SVG are made from. */
#ifndef DFL_REPORT_H
#define DFL_REPORT_H

#include "result/result.h"

/* Whether a path names a page (FILE.html) or a plot (FILE.svg). */
bool dfl_is_report(const char *path);

/* Adds a page or a plot to the files of a run; it is written when the run has ended. `columns` says
   what a plot shows: names separated by commas, or residuals, energy or steps; NULL: the outputs,
   or the positions if there are none. DFL_INVALID: an unknown column (with the nearest), a file
   that cannot be opened, or a page from a program that was built without Node.js. DFL_IO: the file
   cannot be written. */
dfl_status dfl_report_open(dfl_record *record, const char *path, const char *columns);

/* The same for a page in memory: `page`, a text of `{.ctx = ctx}` that outlives the record, gets it
   when the run has ended. DFL_INVALID: built without Node.js. */
dfl_status dfl_report_keep(dfl_record *record, dfl_text *page);

/* Writes the page or plot `to` of the HDF5 result `from`. A result whose run has not ended, or was
   killed, is shown as far as it got.
   DFL_INVALID: not a result, an unknown column, an unknown ending, or a file that cannot be opened.
   DFL_IO: the page cannot be written. */
dfl_status dfl_report_stored(dfl_context *ctx, const char *from, const char *to,
                             const char *columns);

/* Appends the page of an analysis, whose result is the JSON object of its command;
   viewer/src/analysis.js says what it shows. DFL_INVALID: the program was built without Node.js. */
dfl_status dfl_analysis_page(dfl_text *page, const char *title, const char *json);

/* ------------------------------------------------------------------------------- drawings */

/* Appends text between elements of HTML and SVG. */
void dfl_markup_add(dfl_text *text, const char *string);

/* A drawing on white, with a title that browsers show. */
void dfl_svg_open(dfl_text *svg, int width, int height, int font_size, const char *title);
void dfl_svg_close(dfl_text *svg);

/* A rectangle of the drawing and the ranges that it shows. */
typedef struct dfl_axes {
    int left, top, width, height;
    double low_x, high_x, low_y, high_y;
} dfl_axes;

/* A line of the grid with its label (markup), and the frame with the names of the axes (markup;
   `y_label` may be NULL). */
void dfl_svg_tick_x(dfl_text *svg, const dfl_axes *axes, double x, const char *label);
void dfl_svg_tick_y(dfl_text *svg, const dfl_axes *axes, double y, const char *label);
void dfl_svg_frame(dfl_text *svg, const dfl_axes *axes, const char *x_label, const char *y_label);

/* Curves inside the axes. The number of a curve chooses its colour, and its dashes from
   DFL_SVG_COLORS on. A point that is not finite makes a gap. */
enum { DFL_SVG_COLORS = 8 };
typedef struct dfl_pen {
    dfl_text *svg;
    const dfl_axes *axes;
    bool down;
} dfl_pen;
void dfl_svg_curves_open(dfl_text *svg, const dfl_axes *axes);
void dfl_svg_curves_close(dfl_text *svg);
dfl_pen dfl_svg_curve_open(dfl_text *svg, const dfl_axes *axes, int number);
void dfl_svg_curve_to(dfl_pen *pen, double x, double y);
void dfl_svg_curve_close(dfl_pen *pen);

/* A mark on a curve, and the line of a legend at (x, y) in the drawing. */
void dfl_svg_point(dfl_text *svg, const dfl_axes *axes, int number, double x, double y);
void dfl_svg_legend(dfl_text *svg, double x, double y, int number, const char *words);

#endif
