/* report.h: a run for people: one HTML page with plots and an animation, or one plot as SVG.

   A report is collected from a run in progress (report_run.c) or from a stored result (report_stored.c),
   and then written as a page (page.c) or a plot (plot.c). Its memory does not grow with the length of the
   run: see thin.h. */
#ifndef DFL_REPORT_H
#define DFL_REPORT_H

#include "result/result.h"
#include "report/thin.h"

#include <stdio.h>

enum { DFL_STEP_COLUMNS = 4 + DFL_LEVELS }; /* size, order, rejections, energy, residuals */

typedef struct dfl_report {
    dfl_context *ctx;
    const char *title;
    int n, m;                 /* states, outputs */
    const char *const *names; /* n + m; these and the kinds are the caller's */
    const char *const *kinds; /* n: "position", "velocity", ... */
    const char *const *units; /* n + m, "" where unknown; NULL: none is known */
    dfl_text meta;            /* members of a JSON object: model, text, options, statistics, ... */
    dfl_text scene;           /* a JSON object, or empty */
    dfl_text events;          /* elements of a JSON array: [time, event, direction] */
    long nevents;             /* all of them; only the first are in `events` */
    dfl_thin rows, steps, frames;
} dfl_report;

/* An empty report; `columns` numbers make a frame of the scene. The caller clears it also after a
   failure. */
dfl_status dfl_report_create(dfl_report *out, dfl_context *ctx, const char *title, int n, int m,
                             int columns);
void dfl_report_clear(dfl_report *report);
void dfl_report_event(dfl_report *report, const dfl_event_record *event);

/* Members of `meta`; `key` NULL within an array. A number that is not finite becomes null. */
void dfl_report_text(dfl_report *report, const char *key, const char *text);
void dfl_report_number(dfl_report *report, const char *key, double number);
void dfl_report_open(dfl_report *report, const char *key, char bracket);
void dfl_report_close(dfl_report *report, char bracket);

/* Write it to an open file; errors of the file stay in the file. `columns` names what is plotted, with
   commas between (NULL: all positions, or what there is). DFL_INVALID: an unknown column. */
dfl_status dfl_page_write(FILE *file, const dfl_report *report);
dfl_status dfl_plot_write(FILE *file, const dfl_report *report, const char *columns);
/* DFL_INVALID, with the nearest name, if `columns` names one that is not there. */
dfl_status dfl_plot_check(const dfl_report *report, const char *columns);

/* The scene of a model as JSON: {"planar", "shapes": [{"kind", "name", "color", "trace", "columns",
   "mesh"}]}, where a column is a number, or null if it changes; empty without shapes. */
dfl_status dfl_scene_json(dfl_text *text, const dfl_model *model);

/* Text between elements of HTML and SVG (page.c). */
void dfl_markup_write(FILE *file, const char *text);

/* Numbers as base64 of their bytes, the lowest first; doubles, or floats if `single`. Writes
   4 * ceil(bytes / 3) characters and returns their number. */
size_t dfl_base64(char *out, const double *numbers, int count, bool single);

#endif
