/* settings_table.c: the table of all settings of a run, in the order in which help shows them. */
#include "settings/settings.h"

#include <driftless/solver.h>

/* In the order of dfl_form. */
static const char *const forms[] = {
    "psf",       "psi1",     "eom",    "eom2",   "eom1",       "uode",    "ggl",
    "baumgarte", "odae",     "ext316", "ext317", "pinv",       "tangent", "partition",
    "explicit",  "implicit", "qr",     "svd",    "separation", "ssf",     NULL};
_Static_assert(sizeof forms / sizeof *forms == DFL_FORMS + 1, "one name for each form");

/* An integrator, or an integrator and its order. */
static const char *const methods[] = {
    "radau",    "radau1",        "radau5",        "radau9",        "radau13", "bdf",
    "bdf1",     "bdf2",          "bdf3",          "bdf4",          "bdf5",    "trapezoidal",
    "midpoint", "half-explicit", "explicit-pair", "extrapolation", NULL};
/* In the order of the enumerations of driftless/options.h. */
static const char *const selectors[] = {"orthogonal", "unit", NULL};
static const char *const renewals[] = {"default", "on-change", "always", "never", NULL};
static const char *const algebraic[] = {"auto", "lu", "qr", "svd", NULL};
static const char *const differential[] = {"lu", "qr", NULL};
static const char *const references[] = {"default", "start", "stage1", "stage2", "stage3", NULL};
static const char *const predictions[] = {"extrapolate", "constant", NULL};
static const char *const controls[] = {"predictive", "classical", NULL};
static const char *const starts[] = {"project", "as-given", NULL};
static const char *const linear[] = {"auto", "dense", "tree", "sparse", NULL};
static const char *const evaluations[] = {"auto", "tape", "native", "recursion", NULL};

enum {
    ALL_STARTS = DFL_FOR_RUN | DFL_FOR_CHECK | DFL_FOR_INIT,
    ALL_RUNS = DFL_FOR_RUN | DFL_FOR_COMPARE,
    FILES = DFL_FOR_SCRIPT | DFL_FOR_OCTAVE | DFL_FOR_RESULT,
    RUN = DFL_FOR_RUN | FILES /* one model, from every place */
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
     "follows the model", "absolute tolerance, in each variable's unit",
     "Absolute tolerance, in each variable's unit. Without it, it is `rtol` times the size of each "
     "variable, which `driftless check` shows."},
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
     "`separation`, "
     "`ggl`, `baumgarte`, `odae`, `ssf`, `ext316`, `ext317`, `pinv`, `tangent`, `partition`."},
    {"baumgarte_alpha", DFL_SETTING_NUMBER, DFL_FOR_RUN | DFL_FOR_SCRIPT,
     FIELD(DOUBLE, baumgarte.alpha), NULL, "A", "1/s", "10", "damping of the form baumgarte",
     "Damping of the form `baumgarte`; negative means none."},
    {"baumgarte_beta", DFL_SETTING_NUMBER, DFL_FOR_RUN | DFL_FOR_SCRIPT,
     FIELD(DOUBLE, baumgarte.beta), NULL, "B", "1/s", "as alpha", "square root of its stiffness",
     "Square root of the stiffness of the form `baumgarte`; negative means none."},
    {"lagged", DFL_SETTING_FLAG, DFL_FOR_RUN | DFL_FOR_SCRIPT, FIELD(BOOL, constraints.lagged),
     NULL, NULL, NULL, NULL,
     "multipliers of ggl, ext316, ext317, pinv act through the last constraints",
     "Multipliers that the forms `ggl`, `ext316`, `ext317`, `pinv` add act through the constraints "
     "of the last decomposition."},
    {"turning", DFL_SETTING_FLAG, DFL_FOR_RUN | DFL_FOR_SCRIPT, FIELD(BOOL, constraints.turning),
     NULL, NULL, NULL, NULL, "the L-term in pinv: its multipliers of velocities act on p' as well",
     "In the form `pinv` the multipliers of velocities act on the rates of positions as well, as "
     "in "
     "`ext317` (the L-term of Petzold and Potra)."},
    {"independent", DFL_SETTING_TEXT, DFL_FOR_RUN | DFL_FOR_SCRIPT, STUDY, NULL, "A,B,C", NULL,
     "chosen by pivoting", "independent coordinates of the forms partition, separation",
     "Independent coordinates of the forms `partition` and `separation`, or combinations of them "
     "such as 0.6*x+0.8*y. A run of `partition` ends where they no longer determine the others; "
     "without this setting the coordinates are chosen anew there."},
    {"selectors", DFL_SETTING_WORD, RUN, FIELD(ENUM, constraints.selectors), selectors, "NAME",
     NULL, "orthogonal", "rows that psf and psi1 integrate: orthogonal, unit",
     "Which rows of kinematics and dynamics `psf` and `psi1` integrate together with the "
     "constraints: an `orthogonal` basis of the free directions, or single rows, `unit`."},
    {"renewal", DFL_SETTING_WORD, RUN, FIELD(ENUM, constraints.renewal), renewals, "WHEN", NULL,
     NULL, "when the selectors are renewed: on-change, always, never",
     "When the selectors are renewed: with every decomposition, `always`, or `on-change`, when the "
     "pivots change or, in `tangent`, `partition` and `separation`, the coordinates have become "
     "bad; with `separation` also at every evaluation, `always`, or `never`. `default` is "
     "on-change "
     "for unit selectors, `tangent`, `partition` and `separation`, always for the others."},
    {"algebraic", DFL_SETTING_WORD, RUN, FIELD(ENUM, constraints.algebraic), algebraic, "NAME",
     NULL, "auto", "decomposition of the constraints: auto, lu, qr, svd", NULL},
    {"rank_tolerance", DFL_SETTING_POSITIVE, RUN, FIELD(DOUBLE, constraints.rank_tolerance), NULL,
     "R", NULL, NULL, "singular values below this part of the largest count as zero",
     "Singular values of the constraints below this part of the largest one count as zero: the "
     "others are the rank. 1e-10 unless the derivatives are differences."},
    {"redundant", DFL_SETTING_POSITIVE, ALL_STARTS | ALL_RUNS | FILES,
     FIELD(DOUBLE, constraints.redundant), NULL, "R", NULL, "none",
     "constraints that are dependent up to this part of their size are redundant",
     "Constraints that are dependent up to this part of their size are redundant: they need not "
     "fit exactly, and the motion is right to about the misfit."},
    {"start", DFL_SETTING_WORD, DFL_FOR_RUN | DFL_FOR_SCRIPT | DFL_FOR_RESULT, STUDY, starts, "HOW",
     NULL, "project", "initial values: project (made consistent), as-given",
     "Initial values: `project` makes them consistent, `as-given` takes them as they are."},
    {"method", DFL_SETTING_WORD, DFL_FOR_RUN | FILES, STUDY, methods, "NAME", NULL, "radau",
     "radau, radau5, ..., bdf, bdf1, ..., trapezoidal, midpoint, ...",
     "How it is integrated. `radau`: Radau IIA of orders 5, 9 and 13, chosen automatically, or one "
     "order: `radau1`, `radau5`, `radau9`, `radau13`; `bdf`: backward differentiation of orders 1 "
     "to 5, chosen automatically, or up to one order, `bdf1` to `bdf5` (of this order with "
     "`--fixed-step`); `trapezoidal`, `midpoint`: the implicit rules of order 2; for non-stiff "
     "models `explicit-pair` of order 8, `half-explicit` of order 5 and `extrapolation` of orders "
     "2 "
     "to 12."},
    {"first_step", DFL_SETTING_POSITIVE, ALL_RUNS | FILES, FIELD(DOUBLE, step.first), NULL, "H",
     "s", "estimated", "size of the first step", NULL},
    {"max_step", DFL_SETTING_POSITIVE, ALL_RUNS | FILES, FIELD(DOUBLE, step.max), NULL, "H", "s",
     "no limit", "largest step", NULL},
    {"fixed_step", DFL_SETTING_POSITIVE, ALL_RUNS | FILES, FIELD(DOUBLE, step.fixed), NULL, "H",
     "s", NULL, "steps of this size, without error control", NULL},
    {"accept_unconverged", DFL_SETTING_FLAG, ALL_RUNS | FILES, FIELD(BOOL, step.accept_unconverged),
     NULL, NULL, NULL, NULL, "take fixed steps even if Newton's iteration has not converged",
     "With `--fixed-step`: take a step even if Newton's iteration has not converged, and count it. "
     "Without it the run ends there."},
    {"newton_iterations", DFL_SETTING_COUNT, RUN, FIELD(INT, newton.iterations), NULL, "N", NULL,
     "10", "Newton's iterations at most",
     "Newton's iterations at most; orders 9 and 13 may take 4 and 8 more."},
    {"newton_updates", DFL_SETTING_WHOLE, RUN, FIELD(INT, newton.updates), NULL, "N", NULL, "1",
     "new matrices within a step at most; negative: none",
     "New matrices within a step at most, where the iteration does not converge; negative means "
     "none, 0 the default. With `--accept-unconverged` the default is none."},
    {"newton_tolerance", DFL_SETTING_POSITIVE, RUN, FIELD(DOUBLE, newton.tolerance), NULL, "X",
     NULL, "from rtol", "part of the tolerance that Newton's iteration may leave",
     "The part of the tolerance that the last increment of Newton's iteration may have, at most 1; "
     "0.05 with methods other than Radau IIA."},
    {"multiplier_weight", DFL_SETTING_POSITIVE, RUN, FIELD(DOUBLE, newton.multiplier_weight), NULL,
     "X", NULL, "1; 0.01 with sparse matrices",
     "weight of multipliers in the norm of the iteration",
     "Weight of the multipliers in the norm of Newton's iteration, at most 1."},
    {"jacobian_reuse", DFL_SETTING_NUMBER, RUN, FIELD(DOUBLE, newton.reuse), NULL, "X", NULL, NULL,
     "the matrix is kept while Newton converges at this rate; negative: never",
     "The matrix is kept for the next step while the rate of convergence is below this; negative "
     "means never. By default 0.03 with Radau IIA, 0.1 with other methods, 1e-3 with the reference "
     "`start`."},
    {"reference", DFL_SETTING_WORD, RUN, FIELD(ENUM, newton.reference), references, "WHERE", NULL,
     NULL, "where the matrix is evaluated: start, stage1, stage2, stage3",
     "Where the matrix is evaluated: at the `start` of the step, or at a predicted stage, `stage1` "
     "to `stage3`. `default` is stage2, or start with the prediction `constant`."},
    {"prediction", DFL_SETTING_WORD, RUN, FIELD(ENUM, newton.prediction), predictions, "HOW", NULL,
     "extrapolate", "starting values of Newton's iteration: extrapolate, constant",
     "Starting values of Newton's iteration: from the last step (`extrapolate`) or its end "
     "(`constant`)."},
    {"differential", DFL_SETTING_WORD, RUN, FIELD(ENUM, newton.differential), differential, "NAME",
     NULL, "lu", "decomposition of the differential part: lu, qr", NULL},
    {"carry_accelerations", DFL_SETTING_FLAG, RUN, FIELD(BOOL, newton.carry_accelerations), NULL,
     NULL, NULL, NULL, "keep accelerations as unknowns even if M is diagonal", NULL},
    {"control", DFL_SETTING_WORD, RUN, FIELD(ENUM, step.control), controls, "HOW", NULL,
     "predictive", "next step from the last two errors (predictive) or one (classical)", NULL},
    {"safety", DFL_SETTING_POSITIVE, RUN, FIELD(DOUBLE, step.safety), NULL, "X", NULL, "0.9",
     "factor on the proposed step, 0.01 to 1", NULL},
    {"min_factor", DFL_SETTING_POSITIVE, RUN, FIELD(DOUBLE, step.min_factor), NULL, "X", NULL,
     "0.2", "smallest change of the step size, 0.01 to 0.9", NULL},
    {"max_factor", DFL_SETTING_POSITIVE, RUN, FIELD(DOUBLE, step.max_factor), NULL, "X", NULL, "8",
     "largest change of the step size, 1 to 100", NULL},
    {"keep_low", DFL_SETTING_POSITIVE, RUN, FIELD(DOUBLE, step.keep_low), NULL, "X", NULL, "1",
     "the step size is kept if it would change by keep_low to keep_high",
     "The step size is kept with the matrix if it would change by a factor between `keep_low` and "
     "`keep_high`."},
    {"keep_high", DFL_SETTING_POSITIVE, RUN, FIELD(DOUBLE, step.keep_high), NULL, "X", NULL, "1.2",
     "the upper limit of that", "The upper limit of that change."},
    {"max_steps", DFL_SETTING_COUNT, ALL_RUNS | FILES, FIELD(LONG, step.max_attempts), NULL, "N",
     NULL, "10000000", "give up after this number of attempted steps", NULL},
    {"linear", DFL_SETTING_WORD, ALL_STARTS | FILES, STUDY, linear, "HOW", NULL, "auto",
     "matrices: auto, dense, tree, sparse (large models)",
     "Matrices of the model and of Newton's systems: `dense`, or `sparse`, whose cost grows with "
     "the "
     "number of bodies and not with its cube; `tree`: sparse ones in joint coordinates, for "
     "branched mechanisms without loops. `auto` takes what is predicted to be fastest for large "
     "models; a model that `tree` or `sparse` cannot serve is refused, and the message says why."},
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
    return i >= 0 && i < dfl_settings_count() ? &table[i] : NULL;
}
