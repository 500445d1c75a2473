/* case_file.h: the cases of a study in one HDF5 file; part of result.h.

   All tables have their full size from the beginning, and the file is complete as HDF5 and closed
   before the first case starts. Results then go to their places without the HDF5 library. So any
   program can read the file at any time, and whatever ends the writer leaves a file that can be
   read and gone on with. A case is there if its state says so and its checksum is right. */
#ifndef DFL_CASE_FILE_H
#define DFL_CASE_FILE_H

#include "context/context.h"

#include <stdint.h>

typedef enum dfl_case_state {
    DFL_CASE_MISSING,
    DFL_CASE_COMPLETED,
    DFL_CASE_STOPPED, /* by an event of the model, as it says */
    DFL_CASE_FAILED,
    DFL_CASE_STATES
} dfl_case_state;
extern const char *const dfl_case_state_names[DFL_CASE_STATES];

enum {
    DFL_CASE_MESSAGE = 480, /* bytes of a message, with its end */
    DFL_CASE_EVENTS = 20    /* events that are listed per case ... */
};
enum { DFL_CASE_EVENT = 3 }; /* ... each as three numbers: its number, its direction, its time */

/* Lists of texts of the file, in groups names and meta. */
typedef enum dfl_case_list {
    DFL_CASE_PARAMETERS, /* columns of `parameters` */
    DFL_CASE_RESULTS,    /* columns of `results` */
    DFL_CASE_OUTPUTS,    /* whose statistics are in `results` */
    DFL_CASE_EVENT_NAMES,
    DFL_CASE_SERIES,   /* columns of `series`, time first; none: no series */
    DFL_CASE_SETS,     /* "NAME=VALUE" for all cases */
    DFL_CASE_INPUTS,   /* inputs that follow files */
    DFL_CASE_SETTINGS, /* "NAME=VALUE" of the run */
    DFL_CASE_DESIGN,   /* how the cases were made: "over L=1:2:3" */
    DFL_CASE_LISTS
} dfl_case_list;

/* Texts of the file, in the group meta. */
typedef enum dfl_case_text {
    DFL_CASE_KIND, /* "study" */
    DFL_CASE_MODEL,
    DFL_CASE_PATH,
    DFL_CASE_SCRIPT,
    DFL_CASE_HASH, /* of the script and the files that it reads */
    DFL_CASE_VERSION,
    DFL_CASE_TEXTS
} dfl_case_text;

typedef struct dfl_case_layout {
    long cases;
    long rows;   /* of a case's series; 0: no series */
    double seed; /* NAN: nothing is random */
    struct {
        int count;
        const char *const *text;
    } list[DFL_CASE_LISTS];
    const char *text[DFL_CASE_TEXTS];
} dfl_case_layout;

/* How many numbers a case has, and where they begin: `results`, then events, then series. */
size_t dfl_case_numbers(const dfl_case_layout *layout);
size_t dfl_case_events_at(const dfl_case_layout *layout);
size_t dfl_case_series_at(const dfl_case_layout *layout);

typedef struct dfl_case_file dfl_case_file;

/* Until it is discarded nobody else makes or replaces the file. DFL_INVALID: somebody does, or it
   cannot be written. */
dfl_status dfl_case_file_claim(dfl_new_file *out, dfl_context *ctx, const char *path);

/* Creates a file that is claimed and puts it into its place; the values of parameters are asked for
   case by case. Or opens a file, to write or only to read. DFL_INVALID: it cannot be written, is no
   such file, or another process writes to it. DFL_IO, DFL_NO_MEMORY. */
typedef void (*dfl_case_values_fn)(double *values, long number, void *user);
dfl_status dfl_case_file_create(dfl_case_file **out, dfl_context *ctx, const char *path,
                                const dfl_case_layout *layout, dfl_case_values_fn values,
                                void *user);
dfl_status dfl_case_file_open(dfl_case_file **out, dfl_context *ctx, const char *path, bool write);
/* Whether a file is a study; false also if it cannot be read. */
bool dfl_is_case_file(dfl_context *ctx, const char *path);
void dfl_case_file_close(dfl_case_file *file);

const dfl_case_layout *dfl_case_file_layout(const dfl_case_file *file);

/* Writes a case; the message says why it has failed, or what is not known of it, or is "". Several
   threads may do that at once. False: errno says why. */
bool dfl_case_file_put(dfl_case_file *file, long number, dfl_case_state state,
                       const double *numbers, const char *message);
/* What was written so far reaches the disk. */
void dfl_case_file_sync(dfl_case_file *file);

/* The state of a case; with `numbers` (may be NULL) also those, which are checked, and its message
   (DFL_CASE_MESSAGE bytes, may be NULL). A case that was not written completely is missing. */
dfl_case_state dfl_case_file_get(const dfl_case_file *file, long number, double *numbers,
                                 char *message);
bool dfl_case_file_parameters(double *values, const dfl_case_file *file, long number);
/* Only `results`, which are not checked. */
bool dfl_case_file_results(double *values, const dfl_case_file *file, long number);

#endif
