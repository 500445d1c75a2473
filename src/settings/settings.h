/* settings.h: the settings of a run, in one table.

   The command line with its help, `simulate{}` of scripts, driftless_run of Octave, the options
   stored with results, the completions of shells and the manual page are all made from this table.
   A new setting is one row in settings_table.c; a row that names a field of dfl_solver_options
   needs nothing else. */
#ifndef DFL_SETTINGS_H
#define DFL_SETTINGS_H

#include <driftless/context.h>

#include <stdbool.h>
#include <stddef.h>

typedef enum dfl_setting_kind {
    DFL_SETTING_NUMBER,
    DFL_SETTING_POSITIVE, /* a number above 0 */
    DFL_SETTING_COUNT,    /* a whole number, 1 or more */
    DFL_SETTING_WHOLE,    /* a whole number, also negative */
    DFL_SETTING_FLAG,
    DFL_SETTING_WORD, /* one of `words` */
    DFL_SETTING_TEXT
} dfl_setting_kind;

/* Where a setting may be given, as bits; the first four are subcommands of the program. The last
   one: its value is stored with the results. */
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

/* All settings, by number. */
int dfl_settings_count(void);
const dfl_setting *dfl_setting_at(int i);

/* The number of a setting, or -1. */
int dfl_setting_find(const char *name);

/* The number of a word, or -1. */
int dfl_setting_word(const dfl_setting *setting, const char *word);

enum { DFL_MOST_SETTINGS = 64, DFL_LONGEST_SETTING = 40 };

/* The settings that one source gives: the command line, a script, a caller. */
typedef struct dfl_choices {
    const char *prefix;                  /* before names in messages: "--", "simulate: " */
    double number[DFL_MOST_SETTINGS];    /* a flag is 0 or 1; NAN: not given */
    const char *text[DFL_MOST_SETTINGS]; /* words and texts; NULL: not given */
} dfl_choices;

/* Nothing is said. */
dfl_choices dfl_choices_none(const char *prefix);

/* Sets a number or a flag. DFL_INVALID: the number is out of the setting's range. */
dfl_status dfl_choose_number(dfl_choices *choices, dfl_context *ctx, int setting, double number);

/* The value of the setting `name`: NAN or NULL if it is not given. A text is set by assignment to
   choices->text; whether a word exists is checked when a run is prepared, since another source may
   override it. */
double dfl_choices_number(const dfl_choices *choices, const char *name);
const char *dfl_choices_text(const dfl_choices *choices, const char *name);

/* Whether form, method and matrices of the choices go with sparse matrices; whether `linear` demands
   them. */
bool dfl_choices_may_be_sparse(const dfl_choices *choices);
bool dfl_choices_demand_sparse(const dfl_choices *choices);

/* The name of a setting with the prefix, spelled as its source does: "--max-step",
   "simulate: max_step". */
typedef struct dfl_spelled {
    char text[2 * DFL_LONGEST_SETTING];
} dfl_spelled;
dfl_spelled dfl_setting_spelled(const char *prefix, const char *name);

#endif
