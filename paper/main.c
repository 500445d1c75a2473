/* main.c: prints the numbers behind docs/paper, one JSON object per line.
   usage: paper circle|swing|pendulum|truck|oscillator|closure */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_circle(void);
static void print_swing(void);
static void print_pendulum(void);
static void print_truck(void);
static void print_oscillator(void);
static void print_oscillation(double m1);
static int print_point(dfl_solver *solver, double t_old, double t, const double *x, void *user);
static void print_closure(void);
static void print_envelope(const char *key, const envelope *e, int track);
static void print_list(const char *key, const double *value, int n);
static void number(double value);

static const struct {
    const char *name;
    void (*print)(void);
} experiments[] = {{"circle", print_circle},         {"swing", print_swing},
                   {"pendulum", print_pendulum},     {"truck", print_truck},
                   {"oscillator", print_oscillator}, {"closure", print_closure}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof experiments / sizeof *experiments; i++)
        if (!strcmp(argv[1], experiments[i].name)) {
            experiments[i].print();
            return 0;
        }
    fprintf(stderr, "usage: %s circle|swing|pendulum|truck|oscillator|closure\n", argv[0]);
    return 2;
}

static void print_circle(void)
{
    static circle_run run;
    for (int k = 0; k < 5; k++) {
        paper_circle(&run, circle_forms[k]);
        printf("{\"form\":\"%s\",\"status\":%d,\"rows\":[", dfl_form_name(circle_forms[k]),
               (int)run.status);
        for (int i = 0; i < run.count; i++) {
            const circle_point *at = &run.at[i];
            const double row[] = {at->t,      at->p[0],     at->p[1],     at->v[0],    at->v[1],
                                  at->lambda, at->level[0], at->level[1], at->level[2]};
            printf(i ? ",[" : "[");
            for (int j = 0; j < 9; j++) {
                printf(j ? "," : "");
                number(row[j]);
            }
            printf("]");
        }
        printf("]}\n");
    }
}

static void print_swing(void)
{
    static swing_run run;
    for (int i = 0; i < 6; i++) {
        const double speed = i < 3 ? 2.8 : 2.9, tolerance = pow(10, -7 - i % 3);
        paper_swing(&run, speed, tolerance);
        const dfl_statistics *s = &run.stats;
        printf("{\"speed\":%.1f,\"tolerance\":%.0e,\"status\":%d,\"step\":%.3e,\"NACCPT\":%ld,"
               "\"NEOM\":%ld,\"NPDEC\":%ld,\"NERJCT\":%ld,\"NJAC\":%ld,\"NEDEC\":%ld,\"NCRJCT\":%"
               "ld,\"NMAS\":%ld,\"NBSUB\":%ld,\"NSEL\":%ld,\"rows\":[",
               speed, tolerance, (int)run.status, run.step, s->accepted, s->evaluations,
               s->algebraic_decompositions, s->rejected_error, s->jacobians,
               s->differential_decompositions, s->rejected_newton, s->mass_evaluations,
               s->back_substitutions, s->selector_computations);
        for (int k = 0; k < run.count; k++)
            printf("%s[%.6g,%.8g,%ld]", k ? "," : "", run.at[k].t, run.at[k].height,
                   run.at[k].selectors);
        printf("]}\n");
    }
}

static void print_pendulum(void)
{
    static pendulum_run run;
    static const double tolerances[] = {1e-5, 1e-7, 1e-9, 1e-11, 1e-13};
    for (int k = 0; k < pendulum_nmethods; k++)
        for (int i = 0; i < 5; i++) {
            paper_pendulum(&run, &pendulum_methods[k], tolerances[i]);
            printf("{\"name\":\"%s\",\"tolerance\":%.0e,\"status\":%d,\"steps\":%ld,"
                   "\"evaluations\":%ld,\"seconds\":%.3g,\"error\":%.3g,\"error_lambda\":%.3g",
                   pendulum_methods[k].name, tolerances[i], (int)run.status, run.steps,
                   run.evaluations, run.seconds, run.error[0], run.error[1]);
            print_envelope("g", &run.residuals, 0);
            print_envelope("gI", &run.residuals, 1);
            print_envelope("gII", &run.residuals, 2);
            print_envelope("energy", &run.residuals, 3);
            printf("}\n");
            fflush(stdout);
        }
}

static void print_truck(void)
{
    static truck_run run;
    for (int k = 0; k < truck_nmethods; k++)
        for (int i = 3; i <= 15;
             i += 2) { /* the least tolerance that can be controlled is 2.2e-15 */
            const double tolerance = i < 15 ? pow(10, -i) : 3e-15;
            paper_truck(&run, &truck_methods[k], tolerance);
            printf(
                "{\"name\":\"%s\",\"tolerance\":%.0e,\"status\":%d,\"message\":\"%s\",\"steps\":%"
                "ld,\"evaluations\":%ld,\"seconds\":%.3g",
                truck_methods[k].name, tolerance, (int)run.status, run.message, run.steps,
                run.evaluations, run.seconds);
            print_list("x", run.x, TRUCK_UNKNOWNS);
            printf("}\n");
            fflush(stdout);
        }
}

/* Dampers 2, 0.02 and 0.0002, over times in which the fast motion shows; then some motions. */
static void print_oscillator(void)
{
    static const struct {
        double d, t_end;
    } settings[] = {{2, 2}, {0.02, 0.5}, {2e-4, 0.05}};
    for (int k = 0; k < 3; k++)
        for (int i = 1; i <= 9; i++) {
            const double m1 = i < 9 ? pow(10, -i) : 0;
            oscillator_run run;
            paper_oscillator(&run, m1, settings[k].d, settings[k].t_end, NULL, NULL);
            printf("{\"m1\":%g,\"d\":%g,\"t_end\":%g,\"status\":%d,\"steps\":%ld", m1,
                   settings[k].d, settings[k].t_end, (int)run.status, run.steps);
            print_list("x", run.x, 4);
            printf("}\n");
        }
    for (int i = 1; i <= 4; i++)
        print_oscillation(i < 4 ? pow(10, -i) : 0);
}

static void print_oscillation(double m1)
{
    oscillator_run run;
    bool first = true;
    printf("{\"m1\":%g,\"d\":2,\"rows\":[", m1);
    paper_oscillator(&run, m1, 2, 0.1, print_point, &first);
    printf("]}\n");
}

static int print_point(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    bool *first = user;
    (void)solver, (void)t_old;
    printf("%s[%.6g,%.6g,%.6g]", *first ? "" : ",", t, x[2], x[3]);
    *first = false;
    return 0;
}

static void print_closure(void)
{
    static closure_run run;
    for (int loose = 0; loose < 2; loose++)
        for (int k = 0; k < nclosures; k++)
            for (int i = 0; i < 2; i++) {
                paper_closure(&run, &closures[k], loose, i ? 300 : 40);
                printf("{\"name\":\"%s\",\"loose\":%d,\"t_end\":%d,\"status\":%d,\"steps\":%ld,"
                       "\"seconds\":%.3g,\"t\":%.6g,\"energy\":",
                       closures[k].name, loose, i ? 300 : 40, (int)run.status, run.steps,
                       run.seconds, run.t);
                number(run.energy);
                printf(",\"angle\":");
                number(run.angle);
                print_envelope("x", &run.residuals, 0);
                print_envelope("y", &run.residuals, 1);
                printf("}\n");
                fflush(stdout);
            }
}

static void print_envelope(const char *key, const envelope *e, int track)
{
    print_list(key, e->most[track], PARTS);
}

static void print_list(const char *key, const double *value, int n)
{
    printf(",\"%s\":[", key);
    for (int i = 0; i < n; i++) {
        printf(i ? "," : "");
        number(value[i]);
    }
    printf("]");
}

/* JSON has no NaN. */
static void number(double value)
{
    if (isfinite(value))
        printf("%.16g", value);
    else
        printf("null");
}
