/* test_form_equivalences.c: forms that theory proves equal agree to rounding, and what a form makes of inconsistent
   initial values.

   Petzold and Potra (1992): with A a basis of ker G_c, local coordinates (5.4) and projected invariants (5.10) have
   the same solutions for every method that replaces derivatives by combinations of values, BDF and
   Runge-Kutta stages alike; so have (3.17) and the overdetermined system with its residual in range A2^T.
   Newton's iteration is carried to rounding; matrices are renewed in every step, so that A and G_c belong to
   the same points. */
#include "forms.h"

static dfl_solver_options fixed(dfl_form form, double h)
{
    return (dfl_solver_options){.form = form,
                                .order = 5,
                                .rtol = 1e-8,
                                .fixed_step = h,
                                .newton_tolerance = 1e-9,
                                .newton_iterations = 30,
                                .renewal = DFL_RENEW_ALWAYS,
                                .lagged = true};
}

/* The largest difference of all unknowns after a motion with fixed steps, relative to max(1, |x|). */
static double difference(const motion *m, double h, dfl_form one, dfl_form other)
{
    const dfl_solver_options first = fixed(one, h), second = fixed(other, h);
    const run a = motion_run(m, &first), b = motion_run(m, &second);
    double largest = 0;
    assert_succeeded(&a);
    assert_succeeded(&b);
    for (int i = 0; i < a.n; i++)
        largest = fmax(largest, fabs(a.x[i] - b.x[i]) / fmax(1, fabs(a.x[i])));
    return largest;
}

typedef struct example {
    const char *name;
    double t0, length, h;
} example;

/* With the errors of these runs, 1e-4 to 1e-8, agreement to 1e-11 is no accident. */
static const example examples[] = {{"slidercrank", 0.05, 0.2, 0.01},
                                   {"pendulum", 0.1, 1, 0.04},
                                   {"sleigh", 0.1, 2, 0.1},
                                   {"andrews", 0.001, 0.01, 0.0002}};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static void check_equal(dfl_form one, dfl_form other, double tolerance)
{
    for (int k = 0; k < EXAMPLES; k++) {
        const example *e = &examples[k];
        motion m = motion_of(e->name, e->t0, e->length);
        const double found = difference(&m, e->h, one, other);
        if (!(found <= tolerance))
            fail_msg("%s and %s differ by %g on %s", dfl_form_name(one), dfl_form_name(other),
                     found, e->name);
        problem_free(&m.prob);
    }
}

static void tangent_planes_are_projected_invariants_with_lagged_constraints(void **state)
{
    (void)state;
    check_equal(DFL_TANGENT, DFL_PINV, 1e-11);
}

static void the_overdetermined_system_is_ext317_with_lagged_constraints(void **state)
{
    (void)state;
    check_equal(DFL_ODAE, DFL_EXT317, 1e-11);
}

static void index_1_with_accelerations_as_unknowns_is_index_1(void **state)
{
    (void)state;
    check_equal(DFL_EOM1, DFL_IMPLICIT, 1e-11);
}

/* psi1 keeps p' - Z v in range G_c^T, and all of the dynamics; so does ggl for Z = I. */
static void psi1_is_ggl_with_lagged_constraints(void **state)
{
    (void)state;
    check_equal(DFL_PSI1, DFL_GGL, 1e-11);
}

/* Without constraints all forms are the same equations. */
static void without_constraints_all_forms_are_one(void **state)
{
    (void)state;
    motion m = motion_of("flyball", 0.1, 1);
    for (int k = 1; k < USABLE_FORMS; k++)
        assert_near(difference(&m, 0.05, DFL_PSF, usable_forms[k]), 0, 1e-12);
    problem_free(&m.prob);
}

/* The pendulum's state-space form with q = x, s = vx below the pivot: x' = vx, vx' = -2 x lambda. */
static int state_space(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double g = *(const double *)user, y = -sqrt(1 - x[1] * x[1]), vy = -x[1] * x[0] / y;
    (void)t;
    if (need & DFL_FORCE)
        out->f[0] = -x[1] * (x[0] * x[0] + vy * vy - g * y);
    return 0;
}

/* SSF(A) = LP(A) for constant A: coordinate partitioning is the method applied to the state-space form. */
static void a_constant_partition_is_the_state_space_form(void **state)
{
    (void)state;
    double g = 10;
    const bool independent[] = {false, true, false, true, false};
    const double y = -sqrt(1 - 0.04), x0[] = {0, 1, -0.2 / y, 0.2, y};
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    *(pendulum_parameters *)prob.parameters = (pendulum_parameters){1, 1, g};
    const dfl_eom minimal = {
        .np = 1, .nv = 1, .eval = state_space, .trivial_kinematics = true, .user = &g};
    dfl_solver_options options = fixed(DFL_PSF, 0.02);
    const run short_form = run_with(&minimal, 0, (const double[]){1, 0.2}, 1, &options, NULL);
    options.form = DFL_PARTITION;
    options.independent = independent;
    options.lagged = false;
    const run partition = run_with(&prob.eom, 0, x0, 1, &options, NULL);
    assert_succeeded(&short_form);
    assert_succeeded(&partition);
    assert_near(partition.x[3], short_form.x[1], 1e-12);
    assert_near(partition.x[1], short_form.x[0], 1e-11);
    problem_free(&prob);
}

/* Not equal: present and lagged constraints, by errors of the method. */
static void lagging_makes_a_difference_of_the_size_of_the_error(void **state)
{
    (void)state;
    motion m = motion_of("slidercrank", 0.05, 0.2);
    dfl_solver_options options = fixed(DFL_EXT317, 0.01);
    const run lagged = motion_run(&m, &options);
    options.lagged = false;
    const run present = motion_run(&m, &options);
    assert_succeeded(&lagged);
    assert_succeeded(&present);
    const double found = distance(lagged.x + m.at.p, present.x + m.at.p, m.at.n - m.at.p);
    assert_between(found, 1e-9, 2 * motion_error(&m, &present).p + 2 * motion_error(&m, &lagged).p);
    problem_free(&m.prob);
}

/* From a point off the circle, p = (0, -1.1): forms with g are on it after the first step; eom2 and eom1 stay on
   the circle of radius 1.1, on which gI and gII allow to start; Baumgarte's returns. With index 3 a jump of
   positions would need an infinite velocity. */
static void inconsistent_positions_are_what_the_form_makes_of_them(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    const double x0[] = {0, 0.5, 0, 0, -1.1};
    const dfl_conditions as_given = {.mode = DFL_START_AS_GIVEN};
    for (int k = 0; k < USABLE_FORMS; k++) {
        const dfl_form form = usable_forms[k];
        const dfl_solver_options options = {.form = form, .rtol = 1e-6};
        const run r = run_with(&prob.eom, 0, x0, 2, &options, &as_given);
        if (form == DFL_EOM) {
            assert_failed(&r, DFL_NOT_CONVERGED, "");
            continue;
        }
        assert_succeeded(&r);
        const double radius = hypot(r.x[3], r.x[4]);
        const bool stays = form == DFL_EOM2 || form == DFL_EOM1 || form == DFL_IMPLICIT;
        assert_near(radius, stays ? 1.1 : 1, 1e-4);
        assert_near(r.stats.max_residual.position, 0.21, 1e-4); /* that of the start */
    }
    problem_free(&prob);
}

/* A velocity of 0.1 along the rod: g grows linearly with gII = 0 enforced, not at all with gI = 0. In (3.17) the
   jump of v makes tau a peak that moves p as well, so consistent velocities are needed there. */
static void inconsistent_velocities_are_what_the_form_makes_of_them(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    const double x0[] = {0, 0.5, -0.1, 0, -1};
    const dfl_conditions as_given = {.mode = DFL_START_AS_GIVEN};
    for (int k = 0; k < USABLE_FORMS; k++) {
        const dfl_form form = usable_forms[k];
        const run r =
            run_with(&prob.eom, 0, x0, 0.5, &(dfl_solver_options){.form = form}, &as_given);
        if (form == DFL_EXT317 || form == DFL_ODAE)
            continue;
        assert_succeeded(&r);
        const bool leaves = form == DFL_EOM1 || form == DFL_IMPLICIT;
        /* gI = 0.2 = d/dt (x^2 + y^2) */
        assert_near(hypot(r.x[3], r.x[4]), leaves ? sqrt(1 + 0.2 * 0.5) : 1,
                    form == DFL_BAUMGARTE ? 1e-2 : 1e-3);
    }
    problem_free(&prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangent_planes_are_projected_invariants_with_lagged_constraints),
        cmocka_unit_test(the_overdetermined_system_is_ext317_with_lagged_constraints),
        cmocka_unit_test(index_1_with_accelerations_as_unknowns_is_index_1),
        cmocka_unit_test(psi1_is_ggl_with_lagged_constraints),
        cmocka_unit_test(without_constraints_all_forms_are_one),
        cmocka_unit_test(a_constant_partition_is_the_state_space_form),
        cmocka_unit_test(lagging_makes_a_difference_of_the_size_of_the_error),
        cmocka_unit_test(inconsistent_positions_are_what_the_form_makes_of_them),
        cmocka_unit_test(inconsistent_velocities_are_what_the_form_makes_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
