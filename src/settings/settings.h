/* settings.h: the settings of a run, in one table.

   The command line with its help, `simulate{}` of scripts, driftless_run of Octave, the options
   stored with results, the completions of shells and the manual page are all made from this table.
   A new setting is one row in settings_table.c; a row that names a field of dfl_solver_options
   needs nothing else. */
#ifndef DFL_SETTINGS_MODULE_H
#define DFL_SETTINGS_MODULE_H

#include <driftless/settings.h>

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

/* Whether form, method and matrices of the choices go with sparse matrices; whether `linear`
   demands them. */
bool dfl_choices_may_be_sparse(const dfl_choices *choices);
bool dfl_choices_demand_sparse(const dfl_choices *choices);
bool dfl_choices_demand_tree(const dfl_choices *choices); /* sparse ones in joint coordinates */

#endif
