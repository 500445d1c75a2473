/* script.h: a model from a Lua script, run in a sandbox. Lua is closed when the script has run. */
#ifndef DFL_SCRIPT_H
#define DFL_SCRIPT_H

#include "declare/declare.h"

/* `{0}` is a complete set. */
typedef struct dfl_script_options {
    int nset;                 /* NAME=VALUE settings of parameters, inputs and settings */
    const char *const *set;   /* texts "NAME=VALUE" */
    const char *prefix;       /* of options in messages; NULL means "--" */
    int ninput;               /* inputs that follow files */
    const char *const *input; /* texts "NAME=FILE.csv:COLUMN", then ":hold" or ":cubic" */
    bool prescribe;           /* motion(...) declares a constraint; otherwise it does nothing */
    bool allow_fmu;           /* fmu(...) may start programs of others */
    bool goals;               /* optimize{} is wanted, with what it measures */
    size_t max_memory;        /* bytes for Lua; 0 means 256 MiB */
    long max_instructions;    /* 0 means 1e9 */
    double max_seconds;       /* of processor time; 0 means 60 */
    uint32_t max_nodes;       /* of the expression graph; 0 means its default */
    bool unlimited; /* 0 means no limit in all of these; scripts of any length, files anywhere */
    bool frames;    /* of a mechanism are described in the model */
    bool bodies;    /* elastic ones are described in the model, as SID texts */
    bool unseen;    /* nobody looks at the scene: mechanisms do not draw themselves */
    dfl_dynamics
        dynamics; /* masses of a mechanism as expressions, by recursion, or in absolute
                        coordinates; if it is not known, the script may be run three times */
    void (*print)(const char *text, void *user); /* one line that the script prints,
                                                    with its end; NULL: dropped */
    void *user;
} dfl_script_options;

/* Runs the script in file `path`. DFL_INVALID: the message starts with "FILE:LINE: " where known. A
   --set name that the script never declared is an error that names the nearest one. DFL_NO_MEMORY:
   the context's memory, not the limits of the script, ended it. */
dfl_status dfl_script_load(dfl_model **out, dfl_context *ctx, const char *path,
                           const dfl_script_options *options);

/* The same for a text in memory; `path` is used for messages and the model's name. */
dfl_status dfl_script_load_text(dfl_model **out, dfl_context *ctx, const char *path,
                                const char *text, size_t length, const dfl_script_options *options);

/* Texts run one after the other, each when it is known, in a model that nobody uses: what is wrong
   with one of them is said at once. Texts of the options must outlive it. After a failure it is of
   no more use. */
typedef struct dfl_rehearsal dfl_rehearsal;
dfl_status dfl_rehearsal_create(dfl_rehearsal **out, dfl_context *ctx, const char *path,
                                const dfl_script_options *options);
void dfl_rehearsal_free(dfl_rehearsal *rehearsal);

/* Whole lines, which are counted on. DFL_INVALID: see dfl_script_load. */
dfl_status dfl_rehearsal_run(dfl_rehearsal *rehearsal, const char *text, size_t length);

/* The names of the calls, functions and symbols of the language, in the alphabet, separated by
   blanks. */
dfl_status dfl_script_names(dfl_text *out, dfl_context *ctx);

#endif
