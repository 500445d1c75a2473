/* option_table.c: the subcommands, and the options that are not settings of a run. */
#include "cli/command_line.h"

#include <stddef.h>
#include <string.h>

const cli_command cli_commands[CLI_COMMANDS] = {
    {"run", CLI_RUN, "MODEL.lua", "lua fmu", "simulate a model, or an FMU"},
    {"check", CLI_CHECK, "MODEL.lua", "lua",
     "degrees of freedom, redundant constraints, consistency"},
    {"init", CLI_INIT, "MODEL.lua", "lua", "consistent initial values"},
    {"equations", CLI_EQUATIONS, "MODEL.lua", "lua", "the equations of motion as text or LaTeX"},
    {"export", CLI_EXPORT, "MODEL.lua", "lua",
     "a model as FMU or S-function, or its equations as C or Octave"},
    {"compare", CLI_COMPARE, "MODEL.lua", "lua",
     "several forms and methods side by side: time, error, drift"},
    {"view", CLI_VIEW, "RESULT.h5", "h5 hdf5",
     "a page with plots and an animation of a stored result"},
    {"linearize", CLI_LINEARIZE, "MODEL.lua", "lua",
     "the linear equations near a state: A, B, C, D"},
    {"modes", CLI_MODES, "MODEL.lua", "lua", "frequencies, damping and stability near a state"},
    {"equilibrium", CLI_EQUILIBRIUM, "MODEL.lua", "lua",
     "a state of rest or a steady motion, and whether it is stable"},
    {"response", CLI_RESPONSE, "MODEL.lua", "lua",
     "the frequency response of inputs to outputs near a state"},
    {"lqr", CLI_LQR, "MODEL.lua", "lua", "state feedback that minimizes a quadratic integral"},
    {"inverse", CLI_INVERSE, "MODEL.lua", "lua",
     "the drives that make a model follow prescribed motions"},
    {"gradient", CLI_GRADIENT, "MODEL.lua", "lua",
     "derivatives of outputs at the end of a run by parameters"},
    {"optimize", CLI_OPTIMIZE, "MODEL.lua", "lua",
     "parameters that fit measurements or minimize what optimize{} says"},
    {"sweep", CLI_SWEEP, "MODEL.lua", "lua",
     "many runs on all processors: grids, random samples, lists of cases"}};

/* An option of the program alone. */
typedef struct row {
    const char *name;
    cli_option_kind kind;
    unsigned commands;
    size_t offset, count;
    const char *value, *standard;
    const char *endings;
    const char *words_of; /* the setting whose words may be listed */
    const char *help, *manual;
} row;

#define FIELD(field) offsetof(cli_arguments, field), 0
#define FIELDS(strings, number) offsetof(cli_arguments, strings), offsetof(cli_arguments, number)

static const row table[] = {
    {"forms", CLI_TEXT, CLI_COMPARE, FIELD(forms), "A,B,C", "psf,ggl,eom2,eom1,eom", NULL, "form",
     "forms, or all", NULL},
    {"methods", CLI_TEXT, CLI_COMPARE, FIELD(methods), "A,B,C", "radau", NULL, "method",
     "methods, or all", NULL},
    {"tol", CLI_TEXT, CLI_COMPARE, FIELD(tol), "A:B", "1e-4:1e-10", NULL, NULL,
     "tolerances: every decade from A to B, or A,B,C",
     "Tolerances, the same for relative and absolute errors: every decade from A to B, or single "
     "values separated by commas."},
    {"limit", CLI_POSITIVE, CLI_COMPARE, FIELD(limit), "S", "60", NULL, NULL,
     "give up a run after this number of seconds", NULL},
    {"set", CLI_LIST, CLI_ALL & ~CLI_VIEW, FIELDS(set, nset), "NAME=VALUE", NULL, NULL, NULL,
     "change a parameter, input or setting of the model (repeatable)",
     "Change a parameter, input or setting of the model. Repeatable."},
    {"input", CLI_LIST,
     CLI_RUN | CLI_CHECK | CLI_INIT | CLI_COMPARE | CLI_NEAR | CLI_INVERSE | CLI_GRADIENT |
         CLI_OPTIMIZE | CLI_SWEEP,
     FIELDS(input, ninput), "NAME=FILE:COL", NULL, NULL, NULL,
     "an input follows a column of FILE.csv (repeatable)",
     "An input follows a column of a file with separated values whose column `t` or `time` has the "
     "times: linearly between its rows, or with `:hold` or `:cubic` behind the column. Outside, "
     "the end values hold. Repeatable."},
    {"allow-fmu", CLI_FLAG, CLI_ALL & ~CLI_VIEW, FIELD(allow_fmu), NULL, NULL, NULL, NULL,
     "fmu(...) in the script may start FMUs",
     "Allow `fmu(...)` in the script to start the libraries of FMUs. They are programs of others, "
     "and not "
     "sandboxed: allow it for models that you trust."},
    {"start-from", CLI_TEXT, CLI_RUN | CLI_CHECK | CLI_INIT | CLI_NEAR, FIELD(start_from), "FILE",
     NULL, "json", NULL, "start from the state in FILE.json, or go on with a saved run",
     "Initial values of all variables from a file that `driftless equilibrium --output` or "
     "`driftless "
     "run --json` has written; they are made consistent with the least change. `driftless run` "
     "also goes on with a run that `--save` has saved."},
    {"save", CLI_TEXT, CLI_RUN, FIELD(save), "FILE", NULL, NULL, NULL,
     "save the state at the end; --start-from FILE goes on from there",
     "Save the complete state at the end of the run, also where Ctrl-C ends it; `--start-from` "
     "goes "
     "on from there, with the same model, form and method. `-`: to standard output."},
    {"at", CLI_TEXT, CLI_LINEAR, FIELD(at), "WHERE", "the start", NULL, NULL,
     "NAME=VALUE,... (other values move as little as possible), equilibrium, or t=TIME",
     "Where: `NAME=VALUE,...` gives variables other values than the script does, and all others "
     "follow with the least change; `equilibrium` is the state that `driftless equilibrium` finds; "
     "`t=TIME` is the state of a run at that time."},
    {"at", CLI_TEXT, CLI_EQUILIBRIUM, FIELD(at), "WHERE", "the start", NULL, NULL,
     "where to search: NAME=VALUE,... or t=TIME",
     "Where to search: `NAME=VALUE,...` gives variables other values than the script does, and all "
     "others follow with the least change; `t=TIME` is the state of a run at that time."},
    {"steady", CLI_TEXT, CLI_NEAR, FIELD(steady), "A,B,C", NULL, NULL, NULL,
     "a steady motion: the speeds of these coordinates keep their values",
     "A steady motion: the speeds of these coordinates keep the values that they have at the "
     "start; all others are zero, unless constraints make them follow."},
    {"from", CLI_NUMBER, CLI_RESPONSE, FIELD(first), "W", NULL, NULL, NULL,
     "the first frequency, rad/s", NULL},
    {"to", CLI_NUMBER, CLI_RESPONSE, FIELD(last), "W", NULL, NULL, NULL,
     "the last frequency, rad/s", NULL},
    {"points", CLI_POSITIVE, CLI_RESPONSE, FIELD(points), "N", "200", NULL, NULL,
     "the number of frequencies", NULL},
    {"log", CLI_FLAG, CLI_RESPONSE, FIELD(logarithmic), NULL, NULL, NULL, NULL,
     "frequencies at equal ratios instead of equal distances", NULL},
    {"hz", CLI_FLAG, CLI_RESPONSE, FIELD(hz), NULL, NULL, NULL, NULL,
     "`--from` and `--to` are in Hz", NULL},
    {"step", CLI_POSITIVE, CLI_RESPONSE, FIELD(step), "T", NULL, NULL, NULL,
     "also outputs during T s after a step of an input, linear and not",
     "Also what outputs do during this time after a step of each input: by the linear equations, "
     "and by the model itself."},
    {"impulse", CLI_POSITIVE, CLI_RESPONSE, FIELD(impulse), "T", NULL, NULL, NULL,
     "the same after an impulse of an input", NULL},
    {"size", CLI_NUMBER, CLI_RESPONSE, FIELD(size), "A", "1", NULL, NULL,
     "size of the step or impulse; results are divided by it", NULL},
    {"state-weight", CLI_TEXT, CLI_LQR, FIELD(state_weight), "NAME=Q,...", NULL, NULL, NULL,
     "weights of squares of variables or outputs",
     "Weights of the squares of variables or outputs in the integral."},
    {"input-weight", CLI_TEXT, CLI_LQR, FIELD(input_weight), "NAME=R,...", "1 for all", NULL, NULL,
     "weights of squares of inputs", "Weights of the squares of inputs in the integral."},
    {"inputs", CLI_TEXT, CLI_LINEARIZE | CLI_RESPONSE | CLI_LQR, FIELD(inputs), "A,B,C",
     "all inputs", NULL, NULL, "inputs of the linear equations", NULL},
    {"outputs", CLI_TEXT, CLI_LINEARIZE | CLI_RESPONSE, FIELD(outputs), "A,B,C",
     "all outputs, or all positions", NULL, NULL, "outputs: names of outputs or variables", NULL},
    {"all", CLI_FLAG, CLI_LINEARIZE, FIELD(all_unknowns), NULL, NULL, NULL, NULL,
     "also E x' = A x + B u with all unknowns, in JSON, MAT and Octave files",
     "Also the equations E x' = A x + B u of all unknowns, with multipliers and constraints: in "
     "JSON "
     "as `all`, in MAT and Octave files as `E_all`, `A_all`, `B_all`, `variables`."},
    {"along", CLI_TEXT, CLI_LINEARIZE, FIELD(along), "FIRST:LAST:COUNT", NULL, NULL, NULL,
     "the equations at this number of times of a run",
     "A series of linear equations along a run: at this number of times, from the first to the "
     "last."},
    {"starts", CLI_POSITIVE, CLI_EQUILIBRIUM, FIELD(starts), "N", "1", NULL, NULL,
     "searches from N starts around the first one, for several equilibria",
     "Searches from so many starts, the first one and others around it, and shows every "
     "equilibrium "
     "once; in JSON as the list `equilibria`."},
    {"count", CLI_POSITIVE, CLI_MODES, FIELD(count), "N", "all", NULL, NULL,
     "only the N modes with the smallest eigenvalues",
     "Only so many modes, with the smallest eigenvalues; the other half of a pair is added. Large "
     "models need it."},
    {"over", CLI_TEXT, CLI_MODES, FIELD(over), "NAME=FIRST:LAST:COUNT", NULL, NULL, NULL,
     "eigenvalues over values of a parameter, input or setting",
     "Eigenvalues for this number of values of a parameter, input or setting, from the first to "
     "the last."},
    {"over", CLI_LIST, CLI_SWEEP, FIELDS(overs, novers), "NAME=VALUES", NULL, NULL, NULL,
     "values FIRST:LAST:COUNT or A,B,C of a parameter (repeatable: all combinations)",
     "Values of a parameter, input, setting or initial value `initial(NAME)`: `FIRST:LAST:COUNT`, "
     "with `:log` behind it at equal ratios, or a list `A,B,C`. Repeatable: all combinations, the "
     "last name fastest."},
    {"sample", CLI_LIST, CLI_SWEEP, FIELDS(sample, nsample), "NAME=DISTRIBUTION", NULL, NULL, NULL,
     "a random parameter, such as L=normal(1,0.02) or mu=uniform(0.1,0.3) (repeatable)",
     "A random parameter: `normal(MEAN,DEVIATION)`, `uniform(LOWEST,HIGHEST)`, "
     "`lognormal(MEDIAN,DEVIATION)` with the deviation of the logarithm, "
     "`loguniform(LOWEST,HIGHEST)`, `triangular(LOWEST,LIKELIEST,HIGHEST)`, "
     "`exponential(MEAN)`. Repeatable. With `--over`, every combination has all samples."},
    {"count", CLI_POSITIVE, CLI_SWEEP, FIELD(count), "N", "100", NULL, NULL,
     "the number of samples", NULL},
    {"seed", CLI_NUMBER, CLI_SWEEP, FIELD(seed), "N", "1", NULL, NULL,
     "a whole number; the same one gives the same samples", NULL},
    {"bootstrap", CLI_POSITIVE, CLI_SWEEP, FIELD(bootstrap), "N", NULL, NULL, NULL,
     "means and indices with intervals from N resamples, for --json",
     "Add means, standard deviations and sensitivity indices with their intervals of 95 % from N "
     "resamples to the JSON object."},
    {"design", CLI_TEXT, CLI_SWEEP, FIELD(design), "WORD", "random", NULL, NULL,
     "where samples are: random, lhs, sobol; saltelli for sensitivity indices",
     "Where samples are: `random`, `lhs` (Latin hypercube), `sobol` (points that fill the space "
     "evenly), or `saltelli`: N (d + 2) cases of d parameters, from which `driftless view` "
     "computes "
     "Sobol's sensitivity indices."},
    {"cases", CLI_TEXT, CLI_SWEEP, FIELD(cases), "FILE", NULL, "csv", NULL,
     "a row per case of FILE.csv; its first row has the names",
     "Cases from a file with separated values: names of parameters in the first row, then a row of "
     "numbers per case."},
    {"threads", CLI_POSITIVE, CLI_SWEEP, FIELD(threads), "N", "all processors", NULL, NULL,
     "how many cases run at once", NULL},
    {"csv", CLI_TEXT, CLI_SWEEP, FIELD(csv), "FILE", NULL, "csv", NULL,
     "the table as FILE.csv, too; - is standard output",
     "Also write the table as comma-separated values, a row per case; `-` is standard output."},
    {"resume", CLI_TEXT, CLI_SWEEP, FIELD(resume), "FILE", NULL, "h5 hdf5", NULL,
     "run the cases that are missing in FILE.h5",
     "Run the cases that are missing in the file of a study that was interrupted. The file says "
     "everything else; another model is refused."},
    {"replace", CLI_FLAG, CLI_SWEEP, FIELD(replace), NULL, NULL, NULL, NULL,
     "a study in the file of --output is lost; without it, it is refused",
     "Begin anew where the file of `--output` is a study with results, and lose them. Without "
     "`--replace` such a file is refused."},
    {"case-seconds", CLI_POSITIVE, CLI_SWEEP, FIELD(case_seconds), "S", "no limit", NULL, NULL,
     "a case that takes longer has failed", NULL},
    {"case-memory", CLI_POSITIVE, CLI_SWEEP, FIELD(case_memory), "MB", "no limit", NULL, NULL,
     "a case that needs more megabytes has failed", NULL},
    {"output", CLI_LIST, CLI_SWEEP, FIELDS(output, noutput), "FILE", "MODEL-study.h5", "h5 hdf5",
     NULL, "the file of the study",
     "The file of the study, which ends in `.h5`. It can be read while the study runs."},
    {"columns", CLI_TEXT, CLI_SWEEP, FIELD(columns), "A,B,C", "the outputs, or the positions", NULL,
     NULL, "what is kept of every case; with --every also as series",
     "Outputs and variables of which minimum, maximum, mean, root mean square and final value are "
     "kept; with `--every` also their values at this distance of time."},
    {"output", CLI_LIST, CLI_RESPONSE, FIELDS(output, noutput), "FILE", "standard output",
     "csv json html", NULL,
     "to FILE.csv, FILE.json or the page FILE.html instead of standard output (repeatable)",
     "Write the table to a file that ends in `.csv`, the object of `--json` to one that ends in "
     "`.json`, or a page with the diagrams of Bode and Nyquist to one that ends in `.html`."},
    {"output", CLI_LIST, CLI_MODES, FIELDS(output, noutput), "FILE", "standard output", "json html",
     NULL, "to FILE.json or the page FILE.html instead of standard output (repeatable)",
     "Write the object of `--json` to a file that ends in `.json`, or a page with the modes in "
     "motion or the root loci to one that ends in `.html`."},
    {"output", CLI_LIST, CLI_LQR, FIELDS(output, noutput), "FILE", "standard output", "json lua",
     NULL, "to FILE.json, or the feedback as FILE.lua, instead of standard output (repeatable)",
     "Write the object of `--json` to a file that ends in `.json`, or the feedback as a function "
     "for "
     "the script to one that ends in `.lua`."},
    {"output", CLI_LIST, CLI_INVERSE, FIELDS(output, noutput), "FILE", "standard output",
     "csv json", NULL, "to FILE.csv or FILE.json instead of standard output (repeatable)",
     "Write the table to a file that ends in `.csv`, or the object of `--json` to one that ends in "
     "`.json`."},
    {"of", CLI_LIST, CLI_GRADIENT, FIELDS(of, nof), "NAME", "all outputs", NULL, NULL,
     "an output or variable at the end of the run (repeatable)",
     "What is differentiated: an output or a variable, at the end of the run. Repeatable."},
    {"by", CLI_TEXT, CLI_GRADIENT, FIELD(by), "A,B,C", "all parameters", NULL, NULL,
     "parameters, inputs, or initial(NAME)",
     "What it is differentiated by: parameters, inputs, and initial values as `initial(x)` or "
     "`initial(der(x))`, separated by commas."},
    {"derivatives", CLI_TEXT, CLI_GRADIENT | CLI_OPTIMIZE, FIELD(derivatives), "NAME", "auto", NULL,
     NULL, "direct (beside the state), adjoint (one sweep backwards), auto",
     "How derivatives are computed: `direct`, beside the state, or `adjoint`, by one sweep "
     "backwards "
     "for all values, which takes the same time for any number of parameters. The default "
     "chooses `adjoint` if more than 20 parameters are four times as many as the values, and the "
     "model has no switches."},
    {"error-control", CLI_TEXT, CLI_GRADIENT, FIELD(error_control), "NAME", "all", NULL, NULL,
     "steps are chosen for all (state and derivatives) or state",
     "What the steps are chosen for: `all`, the state and its derivatives, or `state` alone, which "
     "is faster, but leaves the error of derivatives unknown, around a rest in particular."},
    {"check", CLI_FLAG, CLI_GRADIENT, FIELD(check), NULL, NULL, NULL, NULL,
     "also by differences of runs nearby; exit status 1 if they disagree",
     "Also by extrapolated differences of runs nearby, four for each parameter. The exit status is "
     "1 "
     "if they disagree by more than 1e-5."},
    {"starts", CLI_POSITIVE, CLI_OPTIMIZE, FIELD(starts), "N", "1", NULL, NULL,
     "searches from N places within the bounds, and takes the best",
     "Searches from so many places, the values of the script and others that fill the bounds "
     "evenly, and "
     "takes the best."},
    {"bootstrap", CLI_POSITIVE, CLI_OPTIMIZE, FIELD(bootstrap), "N", NULL, NULL, NULL,
     "intervals of fitted values from N fits to resampled residuals",
     "Also give intervals of 95 % of fitted values that do not rest on small or normal errors: "
     "from "
     "N fits to the best one with its own residuals, drawn with replacement."},
    {"seed", CLI_NUMBER, CLI_OPTIMIZE, FIELD(seed), "N", "1", NULL, NULL,
     "a whole number; the same one draws the same residuals", NULL},
    {"threads", CLI_POSITIVE, CLI_OPTIMIZE, FIELD(threads), "N", "all processors", NULL, NULL,
     "how many searches of --starts and --bootstrap run at once", NULL},
    {"algorithm", CLI_TEXT, CLI_OPTIMIZE, FIELD(algorithm), "NAME", "by what is wanted", NULL, NULL,
     "lm, bfgs; of NLopt: slsqp, mma, ccsaq, lbfgs, tnewton, bobyqa, cobyla, isres, crs, direct",
     "The search: `lm` (least squares; of a fit alone), `bfgs`; of the library NLopt `slsqp`, "
     "`mma`, "
     "`ccsaq`, "
     "`lbfgs`, `tnewton` with gradients, `bobyqa`, `cobyla` without, and the global ones `isres`, "
     "`crs`, `direct`. Without it `lm` for a fit, `slsqp` with limits, else `bfgs`."},
    {"output", CLI_LIST, CLI_GRADIENT, FIELDS(output, noutput), "FILE", "standard output",
     "json csv h5 hdf5 html svg", NULL,
     "to FILE.json; FILE.csv, .h5, .html or .svg: the run with columns d(x)/d(L)",
     "Write a file: `.json` has the object of `--json`; `.csv` and `.h5` have the rows of the run "
     "with a column `d(x)/d(L)` for each derivative, `.svg` plots of them, and `.html` a page with "
     "sliders that move the motion to first order. Repeatable."},
    {"output", CLI_LIST, CLI_OPTIMIZE, FIELDS(output, noutput), "FILE", "standard output",
     "json csv h5 hdf5 html lua", NULL,
     "to FILE.json; FILE.csv, .h5: the best run; FILE.html: a page; FILE.lua: the model",
     "Write a file: `.json` has the object of `--json`; `.csv` and `.h5` have the run with what "
     "was "
     "found, `.html` shows the search, the fit, and the motion before and after, and `.lua` is the "
     "model with what was found. Repeatable."},
    {"output", CLI_LIST, CLI_LINEARIZE, FIELDS(output, noutput), "FILE", "standard output",
     "json mat m h5 hdf5", NULL,
     "to FILE.json, FILE.mat, FILE.m or FILE.h5 instead of standard output (repeatable)",
     "Write to a file: `.json`, `.mat` (MAT level 4, for Matlab, Octave and SciPy), `.m` (a script "
     "for Octave and Matlab) or `.h5` (HDF5)."},
    {"output", CLI_LIST, CLI_EQUILIBRIUM, FIELDS(output, noutput), "FILE", "standard output",
     "json", NULL, "to FILE.json instead of standard output (repeatable)",
     "Write the object of `--json` to a file that ends in `.json`."},
    {"output", CLI_LIST, CLI_RUN, FIELDS(output, noutput), "FILE", NULL, "csv h5 hdf5", NULL,
     "results to FILE.csv or FILE.h5 (repeatable); - is standard output",
     "Write results to a file that ends in `.csv`, `.h5` or `.hdf5`; `-` is CSV on standard "
     "output. "
     "Repeatable. An existing file is replaced. Without `--output`, `--report`, `--plot` and "
     "`--json`, rows go to standard output unless that is a terminal."},
    {"output", CLI_LIST, CLI_VIEW, FIELDS(output, noutput), "FILE", "RESULT.html", "html svg", NULL,
     "a page FILE.html or a plot FILE.svg",
     "A page (a file that ends in `.html`) or a plot (`.svg`)."},
    {"report", CLI_TEXT, CLI_RUN, FIELD(report), "FILE", NULL, "html", NULL,
     "a page FILE.html with plots and an animation",
     "Write one page to a file that ends in `.html`, with plots and an animation of what the model "
     "draws. It opens without a network."},
    {"report", CLI_TEXT, CLI_COMPARE, FIELD(report), "FILE", NULL, "html", NULL,
     "a page FILE.html with the table and the diagrams",
     "The table and the diagrams as a page, in a file that ends in `.html`."},
    {"plot", CLI_TEXT, CLI_COMPARE, FIELD(plot), "FILE", NULL, "svg", NULL,
     "work-precision and drift diagrams as FILE.svg",
     "Work-precision and drift diagrams, in a file that ends in `.svg`."},
    {"plot", CLI_TEXT, CLI_RUN, FIELD(plot), "FILE", NULL, "svg", NULL, "one plot as FILE.svg",
     "Write one plot to a file that ends in `.svg`."},
    {"columns", CLI_TEXT, CLI_RUN | CLI_VIEW, FIELD(columns), "A,B,C",
     "the outputs, or the positions", NULL, NULL, "what a plot shows",
     "What the plot shows: columns, or one of `residuals`, `energy`, `steps`."},
    {"output", CLI_LIST, CLI_EQUATIONS, FIELDS(output, noutput), "FILE", "standard output",
     "txt tex", NULL, "to this file", "Write to this file."},
    {"output", CLI_LIST, CLI_EXPORT, FIELDS(output, noutput), "PATH", NULL, "c fmu", NULL,
     "C, FMU: the file (default: standard output, NAME.fmu); Octave: the folder (default: NAME)",
     "The file, or the folder for Octave. Default: standard output, NAME.fmu, or a folder with the "
     "model's name."},
    {"fmu", CLI_TEXT, CLI_EXPORT, FIELD(fmu), "VERSION", NULL, NULL, NULL,
     "a functional mock-up unit of FMI 2 or 3, with the solver inside",
     "A functional mock-up unit of the standard FMI, version 2 or 3: binary for this machine, "
     "description, documentation."},
    {"sfunction", CLI_FLAG, CLI_EXPORT, FIELD(sfunction), NULL, NULL, NULL, NULL,
     "an S-function for Simulink, with the solver inside: FILE.c and FILE_solver.c", NULL},
    {"kind", CLI_TEXT, CLI_EXPORT, FIELD(kind), "KIND", "cs", NULL, NULL,
     "of an FMU: cs (co-simulation), me (model exchange), both",
     "What an FMU offers: `cs` co-simulation with the solver of Driftless, `me` model exchange, "
     "where the caller integrates, or `both`."},
    {"sources", CLI_FLAG, CLI_EXPORT, FIELD(sources), NULL, NULL, NULL, NULL,
     "of an FMU: with its C sources, to build it for other machines", NULL},
    {"windows", CLI_FLAG, CLI_EXPORT, FIELD(windows), NULL, NULL, NULL, NULL,
     "of an FMU: with a library for Windows, too, by mingw-w64", NULL},
    {"projection-tolerance", CLI_POSITIVE, CLI_EXPORT, FIELD(projection), "X", "10 rtol", NULL,
     NULL, "model exchange: distance from the constraints that asks for an event",
     "Model exchange: where positions have left the constraints by this part of the largest "
     "position, "
     "the FMU asks for event mode and moves them back."},
    {"c", CLI_FLAG, CLI_EXPORT, FIELD(c), NULL, NULL, NULL, NULL, "one self-contained C file",
     NULL},
    {"octave", CLI_FLAG, CLI_EXPORT, FIELD(octave), NULL, NULL, NULL, NULL,
     "a folder of Octave functions", NULL},
    {"sid", CLI_TEXT, CLI_EXPORT, FIELD(sid), "BODY", NULL, NULL, NULL,
     "an elastic body as SID file",
     "The elastic body BODY in space as standard input data (SID) for other programs: with the "
     "present "
     "values of parameters, of first order."},
    {"frames", CLI_FLAG, CLI_EQUATIONS, FIELD(frames), NULL, NULL, NULL, NULL,
     "how bodies and frames move, instead of the equations",
     "How the bodies of a mechanism and its named frames move, instead of the equations: "
     "positions, "
     "velocities, accelerations, Jacobians."},
    {"latex", CLI_FLAG, CLI_EQUATIONS, FIELD(latex), NULL, NULL, NULL, NULL,
     "LaTeX instead of text", NULL},
    {"lua", CLI_FLAG, CLI_INIT, FIELD(lua), NULL, NULL, NULL, NULL,
     "as an initial{} block to paste into the model",
     "Print an `initial{}` block to paste into the model."},
    {"json", CLI_FLAG,
     CLI_RUN | CLI_CHECK | CLI_INIT | CLI_COMPARE | CLI_NEAR | CLI_INVERSE | CLI_GRADIENT |
         CLI_OPTIMIZE | CLI_SWEEP,
     FIELD(json), NULL, NULL, NULL, NULL, "one JSON object on standard output",
     "Print one JSON object on standard output."},
    {"all-events", CLI_FLAG, CLI_RUN, FIELD(all_events), NULL, NULL, NULL, NULL,
     "every event in the JSON object, not only the first 20",
     "List every event in the JSON object and the summary, not only the first 20."},
    {"statistics", CLI_FLAG, CLI_RUN, FIELD(statistics), NULL, NULL, NULL, NULL,
     "minimum, maximum, mean and rms of outputs over the run",
     "Add minimum, maximum, mean, root mean square and final value of every output (or, without "
     "outputs, position) over the run "
     "to the JSON object and the summary."},
    {"quiet", CLI_FLAG, CLI_ALL, FIELD(quiet), NULL, NULL, NULL, NULL,
     "nothing but errors on standard error", "Print nothing but errors on standard error."},
    {"help", CLI_FLAG, CLI_ALL, FIELD(help), NULL, NULL, NULL, NULL, "this text",
     "Explain the command."}};
enum { ROWS = sizeof table / sizeof *table };
_Static_assert(DFL_MOST_SETTINGS + (int)ROWS < (int)CLI_MOST_OPTIONS, "room for all options");

static void describe_setting(cli_option *out, int i);
static void describe_row(cli_option *out, const row *it);

bool cli_option_at(cli_option *out, int i)
{
    const int settings = dfl_settings_count();
    if (i >= settings + ROWS)
        return false;
    if (i < settings)
        describe_setting(out, i);
    else
        describe_row(out, &table[i - settings]);
    return true;
}

/* What may be set for `init` may be set for analyses. */
static void describe_setting(cli_option *out, int i)
{
    enum { STARTED = CLI_RUN | CLI_CHECK | CLI_INIT | CLI_COMPARE };
    const dfl_setting *setting = dfl_setting_at(i);
    *out = (cli_option){
        .kind = CLI_SETTING,
        .commands = (setting->where & STARTED) | (setting->where & DFL_FOR_INIT ? CLI_NEAR : 0U) |
                    (setting->where & DFL_FOR_RUN
                         ? CLI_INVERSE | CLI_GRADIENT | CLI_OPTIMIZE | CLI_EXPORT | CLI_SWEEP
                         : 0U),
        .value = setting->value,
        .unit = setting->unit,
        .standard = setting->standard,
        .help = setting->help,
        .manual = setting->manual,
        .words = setting->words,
        .setting = i};
    if (!strcmp(setting->name, "from")) /* of frequencies */
        out->commands &= ~(unsigned)CLI_RESPONSE;
    const dfl_spelled spelled = dfl_setting_spelled("--", setting->name);
    snprintf(out->name, sizeof out->name, "%s", spelled.text + 2);
}

static void describe_row(cli_option *out, const row *it)
{
    *out = (cli_option){.kind = it->kind,
                        .commands = it->commands,
                        .value = it->value,
                        .standard = it->standard,
                        .help = it->help,
                        .manual = it->manual,
                        .endings = it->endings,
                        .offset = it->offset,
                        .count = it->count};
    snprintf(out->name, sizeof out->name, "%s", it->name);
    if (it->words_of) {
        out->words = dfl_setting_at(dfl_setting_find(it->words_of))->words;
        out->several = true;
    }
}
