/* main.c: the program `driftless`: finds the subcommand and prints help. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/surroundings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What a subcommand does, in the order of cli_commands. */
typedef struct action {
    int (*function)(dfl_context *ctx, const cli_arguments *arguments);
    const char *details; /* of its help */
} action;

static const action actions[CLI_COMMANDS] = {
    {cli_run,
     "Derives the equations of motion of MODEL, completes its initial values, integrates them\n"
     "without drift, and writes one row of all variables and outputs per step. Without --output\n"
     "and the like the rows go to standard output as CSV, unless that is a terminal.\n"
     "The command line overrides simulate{} of the model.\n"
     "\n"
     "Example:\n"
     "  driftless run pendulum.lua --to 10 --every 0.01 --set g=1.62 --output moon.csv\n"
     "  driftless run pendulum.lua --report pendulum.html --plot pendulum.svg --columns x,y\n"},
    {cli_check,
     "Says what MODEL consists of, how many degrees of freedom it has, which constraints depend\n"
     "on each other, which directions have no mass, and whether its initial values can be\n"
     "completed. Exit status 0: it can be run; 1: the start cannot be completed; 2: the model is\n"
     "wrong.\n"
     "\n"
     "Example:\n"
     "  driftless check pendulum.lua\n"},
    {cli_init,
     "Completes the initial values of MODEL: what initial{} holds stays, everything else is\n"
     "changed as little as possible until every constraint holds.\n"
     "\n"
     "Example:\n"
     "  driftless init pendulum.lua --lua\n"},
    {cli_equations, "Prints the equations of motion that were derived from MODEL.\n"
                    "\n"
                    "Example:\n"
                    "  driftless equations pendulum.lua --latex --output pendulum.tex\n"
                    "  driftless equations slider-crank-bodies.lua --frames\n"},
    {cli_task, "Writes MODEL as an FMU or S-function with the solver inside, for programs that "
               "simulate systems,\n"
               "or its equations of motion as source code. Neither needs anything of Driftless.\n"
               "\n"
               "Example:\n"
               "  driftless export pendulum.lua --fmu 2 --output pendulum.fmu\n"
               "  driftless export pendulum.lua --c --output pendulum.c\n"},
    {cli_task,
     "Runs MODEL with every combination of the given forms, methods and tolerances and prints "
     "what\n"
     "each needs and reaches: time, steps, evaluations, the error at the end against a tight\n"
     "reference solution, the largest residuals of the constraints, the drift of energy, and why "
     "a\n"
     "combination failed or was refused.\n"
     "\n"
     "Example:\n"
     "  driftless compare pendulum.lua --forms psf,ggl,eom2 --methods radau,bdf --tol 1e-3:1e-9 "
     "\\\n"
     "      --plot pendulum.svg\n"},
    {cli_view,
     "Makes one HTML file from a result that `driftless run --output RESULT.h5` has written: plots "
     "of\n"
     "all variables, the levels of the constraints, and the mechanism in motion. It opens in any\n"
     "browser and loads nothing from elsewhere. With --output FILE.svg: one plot, for papers.\n"
     "A file of `driftless sweep` becomes a page with plots of all cases.\n"
     "\n"
     "Example:\n"
     "  driftless view pendulum.h5 --output pendulum.html\n"},
    {cli_task,
     "Prints the linear equations y' = A y + B u, outputs = C y + D u of MODEL near a state, in\n"
     "independent unknowns y. Derivatives are exact, and every constraint is kept.\n"
     "\n"
     "Example:\n"
     "  driftless linearize crane.lua --at x=0,angle=0 --json\n"},
    {cli_task,
     "Prints the eigenvalues of the linear equations of MODEL near a state, with frequency and\n"
     "damping ratio, and whether the state is stable.\n"
     "\n"
     "Example:\n"
     "  driftless modes double-pendulum.lua --at x1=0,y1=-1,x2=0,y2=-2\n"
     "  driftless modes bicycle.lua --over v=0:10:101 --json\n"},
    {cli_task,
     "Finds a state of MODEL, near its start, in which all forces are balanced and nothing moves;\n"
     "with --steady, a steady motion. Prints it, and whether it is stable. The file of --output\n"
     "can be the start of a run: driftless run MODEL --start-from FILE.json.\n"
     "\n"
     "Example:\n"
     "  driftless equilibrium truck.lua --output standing.json\n"
     "  driftless equilibrium governor.lua --steady spindle.q\n"},
    {cli_task,
     "Prints how outputs of MODEL answer small oscillations of its inputs near a state: "
     "magnitude,\n"
     "phase (rad), real and imaginary part of C (i omega - A)^-1 B + D, as CSV.\n"
     "\n"
     "Example:\n"
     "  driftless response crane.lua --at equilibrium --from 0.1 --to 100 --points 400 --log\n"
     "  driftless response crane.lua --from 0.1 --to 100 --log --output bode.html\n"},
    {cli_task,
     "Finds the state feedback u = -K y for the linear equations of MODEL near a state that\n"
     "minimizes the integral of weighted squares of variables and inputs.\n"
     "\n"
     "Example:\n"
     "  driftless lqr crane.lua --at equilibrium --state-weight load=10,s=1 --input-weight "
     "drive=0.1\n"},
    {cli_task,
     "Finds the inputs of MODEL with which it follows the motions that motion(...) of the script\n"
     "prescribes, with the reactions, as CSV. `driftless run MODEL --input "
     "NAME=FILE.csv:NAME:cubic`\n"
     "replays them.\n"
     "\n"
     "Example:\n"
     "  driftless inverse robot.lua --to 2 --every 0.01 --output drives.csv\n"},
    {cli_task,
     "Runs MODEL and prints outputs at the end with their derivatives by parameters, inputs and\n"
     "initial values: those of the computed run, exact to its tolerances, through the "
     "constraints.\n"
     "\n"
     "Example:\n"
     "  driftless gradient pendulum.lua --of x --by L,g --to 2\n"
     "  driftless gradient crank.lua --of x --of beta --by \"l1,l2,initial(alpha)\" --json\n"},
    {cli_task,
     "Varies parameters, inputs and initial values of MODEL within bounds until runs fit measured\n"
     "values, or an objective is smallest, as optimize{} of the script says.\n"
     "\n"
     "Example:\n"
     "  driftless optimize crank.lua --json\n"},
    {cli_sweep,
     "Runs MODEL many times with other values of parameters, on all processors, and keeps "
     "minimum,\n"
     "maximum, mean, root mean square and final value of its outputs and the times of its events "
     "in\n"
     "one HDF5 file. Every case has the same bits as `driftless run MODEL --set NAME=VALUE ...`.\n"
     "Ctrl-C, or a crash, loses only the cases under way: --resume runs what is missing.\n"
     "\n"
     "Example:\n"
     "  driftless sweep pendulum.lua --over g=1.6:9.8:16 --over m=1,2,5 --output weights.h5\n"
     "  driftless sweep pendulum.lua --sample \"m=normal(1,0.02)\" --count 10000 --seed 7 --csv "
     "table.csv\n"
     "  driftless sweep pendulum.lua --resume weights.h5\n"}};

static int execute(int number, int argc, char **argv);
static int unknown_command(const char *name);
static void print_help(FILE *file);
static void print_command_help(int number);
static int flush_help(void);

int main(int argc, char **argv)
{
    if (!cli_prepare(argv))
        return CLI_FAILURE;
    if (argc < 2) {
        print_help(stderr);
        return CLI_WRONG;
    }
    for (int i = 0; i < CLI_COMMANDS; i++)
        if (!strcmp(argv[1], cli_commands[i].name))
            return execute(i, argc - 2, argv + 2);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return flush_help();
    }
    if (!strcmp(argv[1], "--version")) {
        printf("driftless %s\n", DFL_VERSION);
        return flush_help();
    }
    return unknown_command(argv[1]);
}

static int execute(int number, int argc, char **argv)
{
    const cli_command *cmd = &cli_commands[number];
    cli_arguments arguments;
    dfl_context *ctx = dfl_context_create();
    if (!ctx) {
        fputs("driftless: no memory\n", stderr);
        return CLI_FAILURE;
    }
    cli_interrupt_catch(ctx);
    int exit_status;
    const dfl_status status = cli_arguments_read(&arguments, ctx, cmd->bit, argc, argv);
    if (status) {
        fprintf(stderr, "driftless %s: %s\n", cmd->name, dfl_message(ctx));
        exit_status = status == DFL_INVALID ? CLI_WRONG : CLI_FAILURE;
    } else if (arguments.help) {
        print_command_help(number);
        exit_status = flush_help();
    } else {
        arguments.command = cmd->name;
        exit_status = actions[number].function(ctx, &arguments);
    }
    cli_arguments_clear(&arguments, ctx);
    cli_interrupt_release();
    dfl_context_free(ctx);
    return exit_status;
}

static int unknown_command(const char *name)
{
    const char *names[CLI_COMMANDS];
    for (int i = 0; i < CLI_COMMANDS; i++)
        names[i] = cli_commands[i].name;
    const char *nearest = dfl_nearest_word(name, names, CLI_COMMANDS);
    if (nearest)
        cli_say("there is no command '%s'; did you mean %s?", name, nearest);
    else if (strstr(name, ".lua"))
        cli_say("name a command, such as: driftless run %s", name);
    else
        cli_say("there is no command '%s'; driftless --help lists them", name);
    return CLI_WRONG;
}

static void print_help(FILE *file)
{
    fputs("driftless simulates mechanical systems with constraints, without drift.\n"
          "\n"
          "Usage: driftless COMMAND MODEL.lua [options]\n"
          "\n"
          "Commands (each explains itself with --help):\n",
          file);
    for (int i = 0; i < CLI_COMMANDS; i++)
        fprintf(file, "  %-11s %s\n", cli_commands[i].name, cli_commands[i].purpose);
    fputs("\n"
          "  driftless --version\n"
          "\n"
          "Exit status: 0 success; 1 not completed (what was computed is kept); 2 wrong usage or\n"
          "a wrong model; 130, 143, 129 ended by Ctrl-C, SIGTERM, SIGHUP (what was computed is "
          "kept).\n",
          file);
}

static void print_command_help(int number)
{
    const cli_command *cmd = &cli_commands[number];
    printf("driftless %s: %s\n\nUsage: driftless %s %s [options]\n\n%s\nOptions:\n", cmd->name,
           cmd->purpose, cmd->name, cmd->argument, actions[number].details);
    cli_options_print(stdout, cmd->bit);
}

static int flush_help(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return CLI_SUCCESS;
    if (errno != EPIPE)
        fprintf(stderr, "driftless: standard output cannot be written: %s\n", strerror(errno));
    return CLI_FAILURE;
}
