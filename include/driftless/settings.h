/* driftless/settings.h: the settings of a run, in one table: what simulate{} of a script,
   dfl_run_options and the program take. Link with libdriftless-model. */
#ifndef DFL_SETTINGS_H
#define DFL_SETTINGS_H

#include <driftless/context.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dfl_setting_kind {
    DFL_SETTING_NUMBER,
    DFL_SETTING_POSITIVE, /* a number above 0 */
    DFL_SETTING_COUNT,    /* a whole number, 1 or more */
    DFL_SETTING_WHOLE,    /* a whole number, also negative */
    DFL_SETTING_FLAG,
    DFL_SETTING_WORD, /* one of `words` */
    DFL_SETTING_TEXT
} dfl_setting_kind;

/* Where a setting may be given, as bits; the first four are commands of the program. The last one:
   its value is stored with the results. */
enum {
    DFL_FOR_RUN = 1 << 0,
    DFL_FOR_CHECK = 1 << 1,
    DFL_FOR_INIT = 1 << 2,
    DFL_FOR_COMPARE = 1 << 3,
    DFL_FOR_SCRIPT = 1 << 16,
    DFL_FOR_OCTAVE = 1 << 17,
    DFL_FOR_RESULT = 1 << 18
};

/* The field of dfl_solver_options that takes the value. */
typedef enum dfl_setting_type {
    DFL_FIELD_NONE, /* study gives the value its meaning */
    DFL_FIELD_DOUBLE,
    DFL_FIELD_LONG,
    DFL_FIELD_INT,
    DFL_FIELD_BOOL,
    DFL_FIELD_ENUM /* the number of the word */
} dfl_setting_type;

typedef struct dfl_setting {
    const char *name; /* "max_step", on the command line --max-step */
    dfl_setting_kind kind;
    unsigned where;
    dfl_setting_type type;
    size_t offset;            /* of the field */
    const char *const *words; /* the default first, ended by NULL */
    const char *value;        /* what the help calls the value: "H"; NULL for a flag */
    const char *unit;         /* or NULL */
    const char *standard;     /* the default, for people; NULL: none */
    const char *help;         /* one line */
    const char *manual; /* sentences; NULL: the help. `word`, `--option`, `.ending` are marked */
} dfl_setting;

/* All settings, by number; NULL beyond them. */
int dfl_settings_count(void);
const dfl_setting *dfl_setting_at(int i);

/* The number of a setting, or -1. */
int dfl_setting_find(const char *name);

/* The number of a word, or -1. */
int dfl_setting_word(const dfl_setting *setting, const char *word);

enum { DFL_MOST_SETTINGS = 64, DFL_LONGEST_SETTING = 40 };

/* The name of a setting with the prefix, spelled as its source does: "--max-step",
   "simulate: max_step". */
typedef struct dfl_spelled {
    char text[2 * DFL_LONGEST_SETTING];
} dfl_spelled;
dfl_spelled dfl_setting_spelled(const char *prefix, const char *name);

#ifdef __cplusplus
}
#endif
#endif
