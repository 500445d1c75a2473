/* The linkages of linkages.lua in many orientations: they start everywhere along their cycles, run
   through positions in which single rows vanish, and keep their exact relations.
   usage: test_linkages [all]; `make linkages` runs all of them in all orientations. */
#include "scripted.h"

#include <stdio.h>

enum { KINDS = 24, TURNS = 20, SAMPLES = 12, MOST = 20 };

static const double phase = 1.2, pi = 3.14159265358979323846;
static bool all;

/* Where the run ends: before legs of Sarrus' linkage are straight; there the rank of all rows
   falls, and motions branch. */
static double end_of(int kind)
{
    return kind >= 8 && kind <= 10 ? 4.0 : 10.0;
}

static scripted load_linkage(int kind, int turn, double at)
{
    char text[3][40];
    const char *const set[] = {text[0], text[1], text[2]};
    snprintf(text[0], sizeof text[0], "kind=%d", kind);
    snprintf(text[1], sizeof text[1], "turn=%d", turn);
    snprintf(text[2], sizeof text[2], "phase=%.17g", at);
    scripted s = {.ctx = dfl_context_create()};
    scripted_expect(&s,
                    dfl_script_load(&s.model, s.ctx, DFL_SOURCE_DIR "/tests/drawing/linkages.lua",
                                    &(dfl_script_options){.nset = 3, .set = set}));
    scripted_expect(&s, scripted_prepare(&s));
    return s;
}

static void expect(const scripted *s, dfl_status status, int kind, int turn, double t)
{
    if (status)
        fail_msg("kind %d, turn %d, t = %g: %s", kind, turn, t, dfl_message(s->ctx));
}

/* Relations r1, r2, ... at the present state. */
static void relations_hold(const scripted *s, int kind, int turn, double tolerance)
{
    for (int k = 1; k < 20; k++) {
        char name[8];
        snprintf(name, sizeof name, "r%d", k);
        if (!dfl_model_find(s->model, name))
            return;
        const double r = scripted_output(s, name);
        if (!(fabs(r) <= tolerance))
            fail_msg("kind %d, turn %d, t = %g: %s = %g", kind, turn, dfl_solver_time(s->solver),
                     name, r);
    }
}

/* Starts at positions that are known to six digits. */
static void starts_at(scripted *s, int kind, int turn, const double *p, double t)
{
    const int np = s->eq->np;
    for (int i = 0; i < np; i++)
        scripted_give(s, dfl_equations_p(s->eq)[i].name, 1e-6 * round(1e6 * p[i]), false);
    expect(s, scripted_try_start(s, &(dfl_solver_options){.rtol = 1e-8}), kind, turn, t);
    relations_hold(s, kind, turn, 1e-9);
    for (int i = 0; i < np; i++) /* on the same branch */
        assert_near(s->x[s->eq->n - np + i], p[i], 1e-4);
    expect(s, dfl_solver_advance(s->solver, 0.05), kind, turn, t);
}

/* Runs, and starts again from positions along the way; `last` (np) are those at the end. */
static void goes_round(double *last, int kind, int turn, double at, double rtol, bool again)
{
    double passed[SAMPLES][MOST];
    scripted s = load_linkage(kind, turn, at);
    const int np = s.eq->np, first = s.eq->n - np;
    assert_true(np <= MOST);
    expect(&s, scripted_try_start(&s, &(dfl_solver_options){.rtol = rtol}), kind, turn, 0);
    const double E = scripted_output(&s, "E");
    for (int k = 0; k < SAMPLES; k++) {
        const double t = end_of(kind) * (k + 1) / SAMPLES;
        expect(&s, dfl_solver_advance(s.solver, t), kind, turn, t);
        memcpy(s.x, dfl_solver_state(s.solver), (size_t)s.eq->n * sizeof *s.x);
        relations_hold(&s, kind, turn, 10 * rtol);
        memcpy(passed[k], s.x + first, (size_t)np * sizeof(double));
    }
    assert_near(scripted_output(&s, "E"), E, 1e3 * rtol * E); /* there is no gravity */
    if (last)
        memcpy(last, passed[SAMPLES - 1], (size_t)np * sizeof(double));
    for (int k = 0; k < SAMPLES && again; k += all ? 2 : 5)
        starts_at(&s, kind, turn, passed[k], end_of(kind) * (k + 1) / SAMPLES);
    scripted_free(&s);
}

/* All links of Bennett's linkage lie on one line at phases 0 and pi: rows vanish, the rank stays.
   It starts there, and passes, at every tolerance down to 1e-10; below, the rounding of lengths and
   twists, with which the loop closes to 1e-14, shows in the accelerations. */
static void bennetts_linkage_passes_aligned_positions(void **state)
{
    (void)state;
    const double phases[] = {0, phase, pi, -pi / 2};
    for (int kind = 1; kind <= 7; kind += all ? 1 : 3)
        for (int turn = 1; turn <= TURNS; turn += all ? 1 : 6)
            for (int k = 0; k < 4; k++)
                for (double rtol = 1e-5; rtol > 5e-11; rtol *= all ? 0.1 : 3e-5)
                    goes_round(NULL, kind, turn, phases[k], rtol, false);
}

/* A plane-symmetric linkage of Bricard comes close to singular positions (singular values of W down
   to 1e-3 of the largest, at t = 2.07 and 6.19) without meeting one: lines 2 and 3 are skew, and so
   pierce the plane of symmetry in two points. Rounding alone keeps its multipliers from tolerances
   below 1e-8 there, and must not end the run. */
static void nearly_singular_positions_are_passed_at_every_tolerance(void **state)
{
    (void)state;
    const int kind = 14;
    for (int turn = 1; turn <= TURNS; turn += all ? 1 : 7)
        for (double rtol = 1e-6; rtol > 2e-11; rtol *= all ? 0.3 : 0.1)
            goes_round(NULL, kind, turn, phase, rtol, false);
}

/* Without gravity and with equal inertias about all axes the motion of the joints does not depend
   on the orientation. */
static void orientations_change_nothing(void **state)
{
    (void)state;
    for (int kind = 1; kind <= KINDS; kind++) {
        double first[MOST], other[MOST];
        goes_round(first, kind, 1, phase, 1e-8, true);
        for (int turn = 2; turn <= TURNS; turn++) {
            if (!all && turn != 2 + kind % 5 && turn != 7 + kind % 14)
                continue;
            goes_round(other, kind, turn, phase, 1e-8, true);
            for (int i = 0; i < 3; i++)
                if (!(fabs(other[i] - first[i]) <= 1e-5))
                    fail_msg("kind %d, turn %d: p[%d] = %.10g, not %.10g", kind, turn, i, other[i],
                             first[i]);
        }
        if (all)
            print_message("kind %d: %d orientations\n", kind, TURNS);
    }
}

int main(int argc, char **argv)
{
    all = argc > 1 && strcmp(argv[1], "all") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bennetts_linkage_passes_aligned_positions),
        cmocka_unit_test(nearly_singular_positions_are_passed_at_every_tolerance),
        cmocka_unit_test(orientations_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
