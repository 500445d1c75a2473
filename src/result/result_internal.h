/* result_internal.h: a record and its kinds of files, inside the module. */
#ifndef DFL_RESULT_INTERNAL_H
#define DFL_RESULT_INTERNAL_H

#include "result/result.h"

enum { DFL_RECORD_BLOCKS = 17, DFL_COUNTERS = 15, DFL_STATISTICS = 3 };

struct dfl_record {
    dfl_context *ctx;
    const dfl_equations *eq;
    dfl_description about; /* points to the members below */
    dfl_columns columns;
    dfl_text scene, warnings, notes;
    char hash[17];
    dfl_fact statistics[DFL_STATISTICS], counters[DFL_COUNTERS];
    double levels[DFL_LEVELS];
    double *given, *corrected; /* n each, in the order of the columns */
    unsigned char *held;
    double *row;                  /* the present row: time, n states, m outputs */
    double *frame;                /* the numbers of the shapes in it */
    double check[1 + DFL_LEVELS]; /* its energy and residuals */
    dfl_writer **writers;
    int nwriters, room;
    void *blocks[DFL_RECORD_BLOCKS]; /* memory of the arrays above and of `about` */
    int nblocks;
};

extern const dfl_file_kind dfl_csv_kind, dfl_hdf5_kind;

/* The names of all declarations of one kind, in their order. */
void dfl_declared_names(const char **names, const dfl_model *model, dfl_declared kind);

/* Memory that the record frees; NULL if it runs out. */
void *dfl_record_alloc(dfl_record *record, size_t count, size_t size);

/* Completes the description at the end of the run. */
void dfl_record_describe_end(dfl_record *record, const dfl_summary *summary);

/* "energy drift" if the energy should stay constant, else "energy change, ..." with the reason. */
const char *dfl_energy_words(const dfl_equations *eq);

/* The counters of the statistics, by name. */
void dfl_summary_counters(dfl_fact out[DFL_COUNTERS], const dfl_statistics *stats);

/* Members of a JSON object: "name": , with a whole number, with a number after a comma unless it is
   the first one (json.c). */
void dfl_json_name(dfl_text *text, const char *name);
void dfl_json_counter(dfl_text *text, const char *name, long value);
void dfl_json_value(dfl_text *text, const char *name, double value, bool first);

/* The members "events" and "switches" of a summary, and their lines for people (summary_events.c).
 */
void dfl_summary_add_events(dfl_text *text, const dfl_summary *summary,
                            const dfl_description *about);
void dfl_summary_add_switches(dfl_text *text, const dfl_summary *summary,
                              const dfl_description *about);
void dfl_summary_describe_events(dfl_text *text, const dfl_summary *summary,
                                 const dfl_description *about);

/* The scene of a model as JSON: {"planar", "shapes": [{"kind", "name", "color", "trace", "columns",
   "mesh"}]}, where a column is a number, or null if it changes; empty without shapes. */
dfl_status dfl_scene_json(dfl_text *text, const dfl_model *model);

/* What becomes of a file. */
typedef enum dfl_fate {
    DFL_FATE_FINISHED, /* the run has ended: it is completed and takes its place */
    DFL_FATE_FAILED,   /* so has this run, but it does not replace an older file */
    DFL_FATE_CLOSED,   /* it takes its place as it is */
    DFL_FATE_ABANDONED /* it is removed */
} dfl_fate;

/* Closes a file, lets it meet its fate and frees its writer. */
dfl_status dfl_writer_close(dfl_writer *writer, dfl_record *record, dfl_fate fate);

#endif
