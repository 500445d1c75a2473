/* Benchmark problems drawn as bodies and joints move as the equations written by hand.

   Three comparisons for each script: with the problem of problems/ integrated by the same solver,
   at times all over the interval; with the references of that problem, which other integrators have
   computed; and with itself: constraints hold, energy stays. The coordinates differ (joints have
   angles where the problems have points), so every script has a function that says what
   corresponds.

   Trajectories are computed with tolerance 1e-10. The bounds K 1e-10 are about five times what was
   measured, relative to max(1, |expected|); references agree within the same bounds. */
#include "closed_forms.h"
#include "example.h"

/* A state of the problem: positions, velocities, multipliers. */
typedef struct by_hand {
    const double *p, *v, *lambda;
    int size;
} by_hand;

/* Asserts that the present state of the script is that of the problem, within K tol. */
typedef void (*agreement)(const scripted *s, const by_hand *hand);

static void assert_close(double found, double expected, double K)
{
    if (!isnan(expected))
        assert_near(found, expected, K * tol * fmax(1.0, fabs(expected)));
}

/* A variable and its rate. */
static void assert_motion(const scripted *s, const char *name, double p, double v, double Kp,
                          double Kv)
{
    char rate[80];
    snprintf(rate, sizeof rate, "der(%s)", name);
    assert_close(scripted_value(s, name), p, Kp);
    assert_close(scripted_value(s, rate), v, Kv);
}

static by_hand state_by_hand(const problem *prob, int size, const double *x)
{
    const dfl_layout at = dfl_eom_layout(&prob->eom);
    return (by_hand){x + at.p, x + at.v, x + at.lambda, size};
}

/* The problem, integrated: `samples` times up to t_end. */
static void compare_with_run(scripted *s, const problem *prob, int size, double t_end, int samples,
                             agreement agree)
{
    const dfl_solver_options options = {.rtol = tol};
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    double fastest = 1; /* gI = W v: its residual grows with v */
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob->eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, prob->t0, prob->x0, NULL), DFL_OK);
    scripted_start(s, &options);
    for (int k = 0; k <= samples; k++) {
        const double t = t_end * k / samples;
        assert_int_equal(dfl_solver_advance(solver, t), DFL_OK);
        scripted_advance(s, t);
        const by_hand hand = state_by_hand(prob, size, dfl_solver_state(solver));
        agree(s, &hand);
        for (int i = 0; i < prob->eom.nv; i++)
            fastest = fmax(fastest, fabs(hand.v[i]));
    }
    const dfl_statistics stats = dfl_solver_statistics(s->solver);
    assert_true(stats.max_residual.position < tol);
    assert_true(stats.max_residual.velocity < 10 * tol * fastest);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
}

static int compare_with_references(scripted *s, const problem *prob, int size, double t_end,
                                   agreement agree)
{
    int count = 0;
    scripted_start(s, &(dfl_solver_options){.rtol = tol});
    for (; count < prob->nreferences && prob->references[count].t <= t_end; count++) {
        const by_hand hand = state_by_hand(prob, size, prob->references[count].x);
        scripted_advance(s, prob->references[count].t);
        agree(s, &hand);
    }
    return count;
}

/* Both, on an interval with `references` references; returns the script at the last one. */
static scripted compare(const char *name, const char *problem_name, double t_end, int references,
                        agreement agree)
{
    problem prob;
    scripted s = load(name);
    assert_true(problem_make(&prob, problem_name, 0));
    compare_with_run(&s, &prob, 0, t_end, 10, agree);
    assert_int_equal(compare_with_references(&s, &prob, 0, t_end, agree), references);
    problem_free(&prob);
    return s;
}

/* ------------------------------------------------------------ plane mechanisms */

/* Joints have the names of the problem's angles; its first two multipliers are the force in E on
   the plate. */
static void andrews_agrees(const scripted *s, const by_hand *hand)
{
    static const char *const names[] = {"beta.q",  "Theta.q", "gamma.q",  "Phi.q",
                                        "delta.q", "Omega.q", "epsilon.q"};
    for (int i = 0; i < 7; i++)
        assert_motion(s, names[i], hand->p[i], hand->v[i], 10, 500);
    assert_close(scripted_output(s, "E.fx"), hand->lambda[0], 50);
    assert_close(scripted_output(s, "E.fy"), hand->lambda[1], 50);
}

static void check_andrews_bodies(void)
{
    scripted s = compare("andrews-bodies", "andrews", 0.05, 4, andrews_agrees);
    const double balance = scripted_output(&s, "balance"); /* at 0.05 s */
    scripted_start(&s, NULL);
    assert_near(scripted_output(&s, "balance"), balance, tol);
    scripted_free(&s);
}

/* p holds the lower ends B_i of the bars. */
static void four_bar_agrees(const scripted *s, const by_hand *hand)
{
    for (int i = 0; i <= hand->size; i++) {
        char name[20], rate[30];
        snprintf(name, sizeof name, "A%d.q", i);
        snprintf(rate, sizeof rate, "der(%s)", name);
        const double q = scripted_value(s, name), w = scripted_value(s, rate);
        assert_close(i + sin(q), hand->p[2 * i], 25);
        assert_close(-cos(q), hand->p[2 * i + 1], 25);
        assert_close(cos(q) * w, hand->v[2 * i], 100);
        assert_close(sin(q) * w, hand->v[2 * i + 1], 100);
    }
}

/* Upright and moving, or 1 rad from hanging and at rest. */
static scripted load_four_bar(int size, bool upright)
{
    char N[20];
    const char *const sets[] = {N, upright ? "lean=3.14159265358979323846" : "lean=1",
                                upright ? "turn=-1" : "turn=0", NULL};
    snprintf(N, sizeof N, "N=%d", size);
    return load_with("four-bar-bodies", sets);
}

static void compare_four_bar(int size, bool upright, double t_end, int samples, int references)
{
    problem prob;
    scripted s = load_four_bar(size, upright);
    assert_true(problem_make(&prob, upright ? "fourbar" : "fourbar_hanging", size));
    scripted_start(&s, NULL);
    const double energy = scripted_output(&s, "energy");
    compare_with_run(&s, &prob, size, t_end, samples, four_bar_agrees);
    assert_near(scripted_output(&s, "energy"), energy, 10 * tol * size);
    assert_int_equal(compare_with_references(&s, &prob, size, t_end, four_bar_agrees), references);
    problem_free(&prob);
    scripted_free(&s);
}

/* Upright at the start, all bars of two linkages lie on one line after 0.71435552929296 s, where
   motions branch: the run ends there and names the loops. Rounding in the multipliers, amplified by
   weak constraints, stops it some milliseconds before. */
static void check_stretched_four_bar(void)
{
    scripted s = load_four_bar(2, true);
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    assert_int_equal(dfl_solver_advance(s.solver, 1.0), DFL_RANK_CHANGED);
    assert_between(dfl_solver_time(s.solver), 0.705, 0.71435552929296);
    assert_non_null(
        strstr(dfl_message(s.ctx), "the constraints C1.1, C1.2, C2.1, C2.2 become dependent"));
    scripted_free(&s);
}

/* Swinging, the bars never reach a singular position. */
static void check_four_bar_bodies(void)
{
    compare_four_bar(1, false, 3.0, 10, 0);
    compare_four_bar(2, false, 2.0, 10, 2);
    compare_four_bar(7, false, 2.0, 4, 0);
    compare_four_bar(40, false, 1.0, 1, 1);
    compare_four_bar(2, true, 0.7, 7, 0);
    check_stretched_four_bar();
}

/* The problem counts from the slider: alpha is the angle of the rod towards the pin, beta that of
   the crank relative to the rod. Its multipliers hold the end of the crank in the bearing. */
static void slider_crank_agrees(const scripted *s, const by_hand *hand)
{
    const double *p = hand->p, *v = hand->v;
    const double phi = scripted_value(s, "bearing.q"), w = scripted_value(s, "der(bearing.q)");
    assert_close(scripted_output(s, "x"), p[0], 5);
    assert_close(phi + scripted_value(s, "pin.q"), p[1] - PI, 5);
    assert_close(phi, p[1] + p[2] - PI, 5);
    assert_close(scripted_value(s, "der(guide.q)"), v[0], 15);
    assert_close(w + scripted_value(s, "der(pin.q)"), v[1], 80);
    assert_close(w, v[1] + v[2], 5);
    assert_close(scripted_output(s, "bearing.fx"), -hand->lambda[0], 100);
    assert_close(scripted_output(s, "bearing.fy"), -hand->lambda[1], 20);
}

static void check_slider_crank_bodies(void)
{
    scripted s = compare("slider-crank-bodies", "slidercrank", 2.0, 3, slider_crank_agrees);
    assert_near(scripted_output(&s, "energy"), 0.766032768, 2 * tol);
    scripted_free(&s);
}

/* Coordinates are zero as drawn; the hinge is a joint here, not two constraints, and its force is a
   reaction. */
static void truck_agrees(const scripted *s, const by_hand *hand)
{
    static const struct {
        const char *name;
        double drawn;
    } joints[] = {{"rear-slide.q", 0.5},  {"on-chassis.lift", 2}, {"on-chassis.nod", 0},
                  {"front-slide.q", 0.5}, {"on-cabin.lift", 2.9}, {"on-cabin.nod", 0}};
    const double weight = 68056; /* on the hinge */
    static const char *const area[] = {"area.x", "area.y", "area.angle"};
    for (int i = 0; i < 6; i++)
        assert_motion(s, joints[i].name, hand->p[i] - joints[i].drawn, hand->v[i], 70, 600);
    for (int i = 0; i < 3; i++)
        assert_close(scripted_output(s, area[i]), hand->p[6 + i], 30);
    assert_close(scripted_value(s, "der(hinge.q)"), hand->v[8] - hand->v[2], 60);
    assert_near(scripted_output(s, "hinge.fx"), -hand->lambda[0], 500 * weight * tol);
    assert_near(scripted_output(s, "hinge.fy"), -hand->lambda[1], 500 * weight * tol);
}

static void check_truck(void)
{
    scripted s = compare("truck", "truck", 20.0, 4, truck_agrees);
    scripted_free(&s);
}

/* ------------------------------------------------------------ in space */

/* P3 of the problem's natural coordinates. */
static void bricard_agrees(const scripted *s, const by_hand *hand)
{
    static const char *const place[] = {"P3.x", "P3.y", "P3.z"};
    static const char *const rate[] = {"P3.vx", "P3.vy", "P3.vz"};
    for (int i = 0; i < 3; i++) {
        assert_close(scripted_output(s, place[i]), hand->p[6 + i], 5);
        assert_close(scripted_output(s, rate[i]), hand->v[6 + i], 10);
    }
}

static void note_redundancy(dfl_log_level level, const char *text, void *user)
{
    (void)level;
    *(bool *)user |= strstr(text, "1 of 5 constraints are redundant (rank 4)") != NULL;
}

/* The problem has 24 rows of rank 23; five hinges in a row leave five rows of rank 4, and a run
   says so. */
static void check_bricard(void)
{
    bool noted = false;
    scripted s = compare("bricard", "bricard", 10.0, 5, bricard_agrees);
    const dfl_statistics stats = dfl_solver_statistics(s.solver);
    assert_int_equal(s.eq->nl, 5);
    assert_int_equal(stats.rank_position, 4);
    assert_int_equal(stats.rank_velocity, 4);
    assert_near(scripted_output(&s, "energy"), -29.43, 10 * tol);
    scripted_start(&s, &(dfl_solver_options){.log = note_redundancy, .user = &noted});
    assert_true(noted);
    scripted_free(&s);
}

/* Both rods move alike; heights are measured from other levels: 105.4575 J. */
static void flyball_agrees(const scripted *s, const by_hand *hand)
{
    const double *p = hand->p, *v = hand->v;
    assert_motion(s, "bearing.q", p[0], v[0], 1, 15);
    assert_motion(s, "slide.q", p[1] - 0.5, v[1], 1, 15);
    assert_motion(s, "hinge1.q", p[2], v[2], 1, 15);
    assert_motion(s, "hinge2.q", p[2], v[2], 1, 15);
    assert_close(scripted_output(s, "s"), p[1], 1);
}

static void check_flyball(void)
{
    scripted s = compare("flyball", "flyball", 10.0, 6, flyball_agrees);
    assert_near(scripted_output(&s, "energy"), 133.42482858 + 105.4575, 2e-8);
    scripted_start(&s, NULL);
    assert_near(scripted_output(&s, "energy"), 133.42795044 + 105.4575, 1e-8);
    scripted_free(&s);
}

/* The problem has the centre of mass and three constraints in addition; they hold the tip. */
static void top_agrees(const scripted *s, const by_hand *hand)
{
    static const char *const p[] = {"tip.q1", "tip.q2", "tip.q3", "tip.q4"};
    static const char *const v[] = {"tip.w1", "tip.w2", "tip.w3"};
    static const char *const f[] = {"tip.fx", "tip.fy", "tip.fz"};
    for (int i = 0; i < 4; i++)
        assert_close(scripted_value(s, p[i]), hand->p[3 + i], 5);
    for (int i = 0; i < 3; i++) {
        assert_close(scripted_value(s, v[i]), hand->v[3 + i], 5);
        assert_close(scripted_output(s, f[i]), -hand->lambda[i], 15);
    }
}

static void check_top_bodies(void)
{
    scripted s = compare("top-bodies", "top", 2.0, 3, top_agrees);
    scripted_free(&s);
}

/* The same coordinates; velocities of the centre are in axes of the disk here, so that its point is
   compared. */
static void disk_agrees(const scripted *s, const by_hand *hand)
{
    static const char *const place[] = {"centre.x", "centre.y", "centre.z"};
    static const char *const rate[] = {"centre.vx", "centre.vy", "centre.vz"};
    static const char *const turn[] = {"f.q4", "f.q5", "f.q6", "f.q7"};
    static const char *const spin[] = {"f.w1", "f.w2", "f.w3"};
    static const char *const force[] = {"lambda(table)", "mu(table.slip1)", "mu(table.slip2)"};
    for (int i = 0; i < 3; i++) {
        assert_close(scripted_output(s, place[i]), hand->p[i], 5);
        assert_close(scripted_output(s, rate[i]), hand->v[i], 15);
        assert_close(scripted_value(s, spin[i]), hand->v[3 + i], 10);
        assert_close(scripted_value(s, force[i]), hand->lambda[i], 15);
    }
    for (int i = 0; i < 4; i++)
        assert_close(scripted_value(s, turn[i]), hand->p[3 + i], 10);
}

static void check_rolling_disk_bodies(void)
{
    scripted s = compare("rolling-disk-bodies", "disk", 5.0, 3, disk_agrees);
    assert_near(scripted_output(&s, "energy"), 21.449553433338494, 25 * tol);
    scripted_free(&s);
}

/* ------------------------------------------------------------ all of them */

/* In the order of drawn_examples. */
static void (*const checks[DRAWN_EXAMPLES])(void) = {check_andrews_bodies,
                                                     check_bricard,
                                                     check_flyball,
                                                     check_four_bar_bodies,
                                                     check_rolling_disk_bodies,
                                                     check_slider_crank_bodies,
                                                     check_top_bodies,
                                                     check_truck};

static void drawn_problems_move_as_those_written_by_hand(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWN_EXAMPLES; i++) {
        print_message("  %s\n", drawn_examples[i]);
        checks[i]();
    }
}

static void every_example_passes_the_self_check_and_runs_with_its_own_settings(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWN_EXAMPLES; i++) {
        check_opening(drawn_examples[i]);
        check_own_settings(drawn_examples[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_problems_move_as_those_written_by_hand),
        cmocka_unit_test(every_example_passes_the_self_check_and_runs_with_its_own_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
