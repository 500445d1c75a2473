/* report_internal.h: what a page or plot is made from, inside the module.

   A report is collected from a run in progress (live.c) or from a stored result (stored.c), and
   then written as a page (page.c) or a plot (plot.c). Its memory does not grow with the length of
   the run: see thin_internal.h. */
#ifndef DFL_REPORT_INTERNAL_H
#define DFL_REPORT_INTERNAL_H

#include "report/report.h"
#include "report/thin_internal.h"

#include <stdio.h>

enum { DFL_STEP_COLUMNS = 4 + DFL_LEVELS }; /* size, order, rejections, energy, residuals */

typedef struct dfl_report {
    dfl_context *ctx;
    const dfl_description *about;
    dfl_text events;   /* elements of a JSON array: [time, event, direction] */
    long nevents;      /* all of them; only the first are in `events` */
    dfl_text switches; /* the same: [time, kind, name, state, change of energy, name of an impulse,
                          its value, ...] */
    long nswitches;
    dfl_thin rows, steps, frames;
} dfl_report;

/* Makes an empty report, with frames of the scene if they are wanted. The caller clears it also
   after a failure. */
dfl_status dfl_report_create(dfl_report *out, dfl_context *ctx, const dfl_description *about,
                             bool frames);
void dfl_report_clear(dfl_report *report);
void dfl_report_event(dfl_report *report, const dfl_event_record *event);
void dfl_report_switch(dfl_report *report, const dfl_switch_record *happened);

/* Writes the page or plot that the path of `out` names. DFL_IO. */
dfl_status dfl_report_write(const dfl_new_file *out, const dfl_report *report, const char *columns);

/* Write to an open file; errors of the file are left in the file. DFL_INVALID: an unknown
   column. */
dfl_status dfl_page_write(FILE *file, const dfl_report *report);
dfl_status dfl_plot_write(FILE *file, const dfl_report *report, const char *columns);
/* Everything before the data of a page; `kind` says which data they are: run or analysis. */
void dfl_page_head(dfl_text *text, const char *title, const char *kind);
/* DFL_INVALID, with the nearest name, if `columns` names one that does not exist. */
dfl_status dfl_plot_check(const dfl_report *report, const char *columns);

/* The style sheet and the program of the page, made from viewer/ when Driftless is built. Lengths
   0: built without Node.js, there are no pages. */
extern const unsigned char dfl_viewer_css[], dfl_viewer_js[];
extern const size_t dfl_viewer_css_length, dfl_viewer_js_length;

#endif
