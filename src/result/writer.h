/* writer.h: what all kinds of results share, inside the output module. */
#ifndef DFL_WRITER_H
#define DFL_WRITER_H

#include "result/result.h"

/* A kind of file. NULL where it does not take such records. `open` makes writer->file, `close` frees it
   and also takes half-opened ones. */
typedef struct dfl_file_kind {
    dfl_status (*open)(dfl_writer *writer, const dfl_run_option *options, int noptions);
    dfl_status (*initial)(dfl_writer *writer, const double *given, const bool *held,
                          const double *corrected);
    dfl_status (*row)(dfl_writer *writer); /* writer->row */
    dfl_status (*step)(dfl_writer *writer, const dfl_step_record *step);
    dfl_status (*event)(dfl_writer *writer, const dfl_event_record *event);
    dfl_status (*columns)(dfl_writer *writer, const char *columns);
    dfl_status (*close)(dfl_writer *writer, const dfl_summary *summary);
    bool scene; /* rows come with writer->scene */
} dfl_file_kind;

struct dfl_writer {
    dfl_context *ctx;
    const dfl_equations *eq;
    const dfl_file_kind *kind;
    char *path;
    dfl_columns columns;
    double *row;       /* time, n states, m outputs: the columns of the present row */
    double *scene;     /* the columns of the shapes at the present row */
    dfl_text warnings; /* one per line */
    double flushed;    /* when, on a clock of seconds */
    dfl_status status; /* the first failure; nothing is written after it ... */
    char reason[512];  /* ... and its message */
    void *file;
};

extern const dfl_file_kind dfl_csv_kind, dfl_hdf5_kind, dfl_page_kind, dfl_plot_kind;

/* A writer of one kind; `path` is used in messages, `file` is what `open` finds in writer->file. */
dfl_status dfl_writer_create(dfl_writer **out, const dfl_file_kind *kind, const char *path,
                             void *file, const dfl_equations *eq, const dfl_run_option *options,
                             int noptions);

/* Whether the last flush is about a second ago; if so, now counts as one. */
bool dfl_writer_due(dfl_writer *writer);

#endif
