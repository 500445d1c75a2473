/* settings_table.c: the table of all settings of a run, in the order in which help shows them. */
#include "settings/settings.h"

#include <driftless/solver.h>

/* In the order of dfl_form. */
static const char *const forms[] = {"psf",      "psi1", "eom",       "eom2",      "eom1",
                                    "uode",     "ggl",  "baumgarte", "odae",      "ext316",
                                    "ext317",   "pinv", "tangent",   "partition", "explicit",
                                    "implicit", "qr",   "svd",       NULL};
_Static_assert(sizeof forms / sizeof *forms == DFL_FORMS + 1, "one name for each form");

/* An integrator, or an integrator and its order. */
static const char *const methods[] = {"radau",    "radau1",        "radau5",        "radau9",
                                      "radau13",  "bdf",           "bdf1",          "bdf2",
                                      "bdf3",     "bdf4",          "bdf5",          "trapezoidal",
                                      "midpoint", "half-explicit", "explicit-pair", NULL};
static const char *const starts[] = {"project", "as-given", NULL};
static const char *const evaluations[] = {"auto", "tape", "native", "recursion", NULL};

enum {
    ALL_STARTS = DFL_FOR_RUN | DFL_FOR_CHECK | DFL_FOR_INIT,
    ALL_RUNS = DFL_FOR_RUN | DFL_FOR_COMPARE,
    FILES = DFL_FOR_SCRIPT | DFL_FOR_OCTAVE | DFL_FOR_RESULT
};
#define FIELD(type, field) DFL_FIELD_##type, offsetof(dfl_solver_options, field)
#define STUDY DFL_FIELD_NONE, 0

static const dfl_setting table[] = {
    {"to", DFL_SETTING_NUMBER, ALL_RUNS | FILES, STUDY, NULL, "T", "s",
     "simulate{to=} of the model", "end of the simulated time",
     "End of the simulated time; it may be before the start. Required unless the model gives it."},
    {"from", DFL_SETTING_NUMBER, ALL_STARTS | ALL_RUNS | FILES, STUDY, NULL, "T", "s", "0",
     "start of the simulated time", NULL},
    {"rtol", DFL_SETTING_POSITIVE, ALL_STARTS | FILES, FIELD(DOUBLE, rtol), NULL, "R", NULL, "1e-6",
     "relative tolerance", NULL},
    {"atol", DFL_SETTING_POSITIVE, ALL_STARTS | FILES, FIELD(DOUBLE, atol), NULL, "A", NULL,
     "as rtol", "absolute tolerance, in each variable's unit", NULL},
    {"every", DFL_SETTING_POSITIVE, DFL_FOR_RUN | FILES, FIELD(DOUBLE, output.every), NULL, "DT",
     "s", "one row per step", "time between rows", NULL},
    {"interpolate", DFL_SETTING_FLAG, DFL_FOR_RUN | DFL_FOR_OCTAVE, STUDY, NULL, NULL, NULL,
     "steps end at rows", "interpolate the rows of `--every` between longer steps",
     "Interpolate the rows of `--every` between longer steps, which is faster and less accurate. "
     "Without it, steps end at the rows."},
    {"form", DFL_SETTING_WORD, ALL_STARTS | FILES, FIELD(ENUM, form), forms, "NAME", NULL, "psf",
     "what is integrated: psf (all constraints at every step), psi1, eom, ...",
     "What is integrated. `psf`: every constraint of every level at every step; `psi1`: the same "
     "without the acceleration level; for comparison: `eom`, `eom2`, `eom1` (constraints on the "
     "level of positions, velocities, accelerations), `uode`, `explicit`, `implicit`, `qr`, `svd`, "
     "`ggl`, `baumgarte`, `odae`, `ext316`, `ext317`, `pinv`, `tangent`, `partition`."},
    {"baumgarte_alpha", DFL_SETTING_NUMBER, DFL_FOR_RUN | DFL_FOR_SCRIPT,
     FIELD(DOUBLE, baumgarte.alpha), NULL, "A", "1/s", "10", "damping of the form baumgarte",
     "Damping of the form `baumgarte`; negative means none."},
    {"baumgarte_beta", DFL_SETTING_NUMBER, DFL_FOR_RUN | DFL_FOR_SCRIPT,
     FIELD(DOUBLE, baumgarte.beta), NULL, "B", "1/s", "as alpha", "square root of its stiffness",
     "Square root of the stiffness of the form `baumgarte`; negative means none."},
    {"lagged", DFL_SETTING_FLAG, DFL_FOR_RUN, FIELD(BOOL, constraints.lagged), NULL, NULL, NULL,
     NULL, "multipliers of ggl, ext316, ext317, pinv act through the last constraints",
     "Multipliers that the forms `ggl`, `ext316`, `ext317`, `pinv` add act through the constraints "
     "of the last decomposition."},
    {"independent", DFL_SETTING_TEXT, DFL_FOR_RUN, STUDY, NULL, "A,B,C", NULL, "chosen by pivoting",
     "independent coordinates of the form partition", NULL},
    {"start", DFL_SETTING_WORD, DFL_FOR_RUN | DFL_FOR_SCRIPT | DFL_FOR_RESULT, STUDY, starts, "HOW",
     NULL, "project", "initial values: project (made consistent), as-given",
     "Initial values: `project` makes them consistent, `as-given` takes them as they are."},
    {"method", DFL_SETTING_WORD, DFL_FOR_RUN | FILES, STUDY, methods, "NAME", NULL, "radau",
     "radau, radau5, ..., bdf, bdf1, ..., trapezoidal, midpoint, ...",
     "How it is integrated. `radau`: Radau IIA of orders 5, 9 and 13, chosen automatically, or one "
     "order: `radau1`, `radau5`, `radau9`, `radau13`; `bdf`: backward differentiation of orders 1 "
     "to 5, chosen automatically, or up to one order, `bdf1` to `bdf5` (of this order with "
     "`--fixed-step`); `trapezoidal`, `midpoint`: the implicit rules of order 2; for non-stiff "
     "models `explicit-pair` of order 8 and `half-explicit` of order 5."},
    {"first_step", DFL_SETTING_POSITIVE, ALL_RUNS | FILES, FIELD(DOUBLE, step.first), NULL, "H",
     "s", "estimated", "size of the first step", NULL},
    {"max_step", DFL_SETTING_POSITIVE, ALL_RUNS | FILES, FIELD(DOUBLE, step.max), NULL, "H", "s",
     "no limit", "largest step", NULL},
    {"fixed_step", DFL_SETTING_POSITIVE, ALL_RUNS | FILES, FIELD(DOUBLE, step.fixed), NULL, "H",
     "s", NULL, "steps of this size, without error control", NULL},
    {"max_steps", DFL_SETTING_COUNT, ALL_RUNS | FILES, FIELD(LONG, step.max_attempts), NULL, "N",
     NULL, "10000000", "give up after this number of attempted steps", NULL},
    {"evaluation", DFL_SETTING_WORD, ALL_RUNS | DFL_FOR_OCTAVE | DFL_FOR_RESULT, STUDY, evaluations,
     "HOW", NULL, "auto", "auto (the fastest), tape, native (compiled), recursion (mechanisms)",
     "How expressions are evaluated: by the `tape`, or as `native` code of the system's C "
     "compiler, "
     "with the same results; or the masses of mechanisms by `recursion` over numbers. `auto` "
     "chooses what is predicted to be fastest."}};
_Static_assert(sizeof table / sizeof *table <= DFL_MOST_SETTINGS, "raise DFL_MOST_SETTINGS");

int dfl_settings_count(void)
{
    return (int)(sizeof table / sizeof *table);
}

const dfl_setting *dfl_setting_at(int i)
{
    return &table[i];
}
