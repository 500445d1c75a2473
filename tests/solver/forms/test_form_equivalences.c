/* test_form_equivalences.c: forms that theory proves equal agree to rounding, and what a form
   makes of inconsistent initial values.

   Petzold and Potra (1992): with A a basis of ker G_c, local coordinates (5.4) and projected
   invariants (5.10) have the same solutions for every method that replaces derivatives by
   combinations of values, BDF and Runge-Kutta stages alike; so have (3.17) and the overdetermined
   system with its residual in range A2^T. Newton's iteration is carried to rounding; matrices are
   renewed in every step, so that A and G_c belong to the same points. */
#include "forms.h"

/* The methods on which the equivalences are tried, with their orders. */
typedef struct method {
    dfl_integrator integrator;
    int order;
} method;
static const method methods[] = {{DFL_RADAU, 5}, {DFL_BDF, 2}, {DFL_BDF, 4}, {DFL_TRAPEZOIDAL, 0}};
/* The trapezoidal rule takes x' over from the last step, where A was another one: it is among them
   only where A is constant. */
enum { METHODS = sizeof methods / sizeof *methods, WITHOUT_MEMORY = METHODS - 1 };

static dfl_solver_options fixed(dfl_form form, method m, double h)
{
    dfl_solver_options options = to_rounding(form, m.integrator, m.order, h);
    options.constraints.lagged = true;
    return options;
}

/* The largest difference of all unknowns after a motion with fixed steps, relative to max(1, |x|).
 */
static double difference(const motion *m, method by, double h, dfl_form one, dfl_form other)
{
    const dfl_solver_options first = fixed(one, by, h), second = fixed(other, by, h);
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
        for (int i = 0; i < WITHOUT_MEMORY; i++) {
            const double found = difference(&m, methods[i], e->h, one, other);
            if (!(found <= tolerance))
                fail_msg("%s and %s differ by %g on %s with %s of order %d", dfl_form_name(one),
                         dfl_form_name(other), found, e->name,
                         dfl_integrator_name(methods[i].integrator), methods[i].order);
        }
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
        assert_near(difference(&m, methods[0], 0.05, DFL_PSF, usable_forms[k]), 0, 1e-12);
    problem_free(&m.prob);
}

/* The state-space form of the uneven pendulum with q = x, s = vx below the pivot: x' = vx, vx' =
   -2 x lambda / m. */
static int state_space(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double y = -sqrt(1 - x[1] * x[1]), vy = -x[1] * x[0] / y;
    const double lambda = (x[0] * x[0] + vy * vy - 10 * y) /
                          (2 * (x[1] * x[1] / uneven_weight[0] + y * y / uneven_weight[1]));
    (void)t, (void)user;
    if (need & DFL_FORCE)
        out->f[0] = -2 * x[1] * lambda / uneven_weight[0];
    return 0;
}

/* Sp = A^T and Sv = A^T M^-1 with A = (1, 0): the A-ssf solution by psf. */
static int x_alone(double *Sp, double *Sv, int nfp, int nfv, double t, const double *x, void *user)
{
    (void)nfp, (void)nfv, (void)t, (void)x, (void)user;
    Sp[0] = 1, Sp[1] = 0;
    Sv[0] = 1 / uneven_weight[0], Sv[1] = 0;
    return 0;
}

/* SSF(A) = LP(A) = A-ssf for constant A, here coordinate partitioning. */
static void state_space_form_partition_and_a_ssf_are_one_for_a_constant_partition(void **state)
{
    (void)state;
    const bool independent[] = {false, true, false, true, false};
    const double y = -sqrt(1 - 0.04), x0[] = {0, 1, -0.2 / y, 0.2, y};
    const dfl_eom minimal = {.np = 1, .nv = 1, .eval = state_space, .trivial_kinematics = true};
    for (int i = 0; i < METHODS; i++) {
        dfl_solver_options options = fixed(DFL_PSF, methods[i], 0.02);
        const run ssf = run_with(&minimal, 0, (const double[]){1, 0.2}, 1, &options, NULL);
        options.constraints.selectors = DFL_USER;
        options.constraints.select = x_alone;
        const run a_ssf = run_with(&uneven_pendulum, 0, x0, 1, &options, NULL);
        options = fixed(DFL_PARTITION, methods[i], 0.02);
        options.constraints.independent = independent;
        const run lp = run_with(&uneven_pendulum, 0, x0, 1, &options, NULL);
        assert_succeeded(&ssf);
        assert_succeeded(&a_ssf);
        assert_succeeded(&lp);
        assert_near(lp.x[3], ssf.x[1], 1e-12);
        assert_near(lp.x[1], ssf.x[0], 1e-11);
        assert_near(distance(lp.x, a_ssf.x, 5), 0, 1e-11);
    }
}

/* Not equal: present and lagged constraints, by errors of the method. */
static void lagging_makes_a_difference_of_the_size_of_the_error(void **state)
{
    (void)state;
    motion m = motion_of("slidercrank", 0.05, 0.2);
    dfl_solver_options options = fixed(DFL_EXT317, methods[0], 0.01);
    const run lagged = motion_run(&m, &options);
    options.constraints.lagged = false;
    const run present = motion_run(&m, &options);
    assert_succeeded(&lagged);
    assert_succeeded(&present);
    const double found = distance(lagged.x + m.at.p, present.x + m.at.p, m.at.n - m.at.p);
    assert_between(found, 1e-9, 2 * motion_error(&m, &present).p + 2 * motion_error(&m, &lagged).p);
    problem_free(&m.prob);
}

/* From a point off the circle, p = (0, -1.1): forms with g are on it after the first step; eom2
   and eom1 stay on the circle of radius 1.1, on which gI and gII allow to start; Baumgarte's
   returns. With index 3 a jump of positions would need an infinite velocity. */
static void inconsistent_positions_are_what_the_form_makes_of_them(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    const double x0[] = {0, 0.5, 0, 0, -1.1};
    const dfl_conditions as_given = {.mode = DFL_START_AS_GIVEN};
    for (int k = 0; k < USABLE_FORMS; k++) {
        const dfl_form form = usable_forms[k];
        /* a first step that the tolerance makes too short cannot make up for the jump: in (3.17)
           the one of the automatic order is */
        const dfl_solver_options options = {.form = form, .rtol = 1e-6, .order = 5};
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

/* A velocity of 0.1 along the rod: g grows linearly with gII = 0 enforced, not at all with gI = 0.
   In (3.17) the jump of v makes tau a peak that moves p as well, so consistent velocities are
   needed there. */
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

/* Steinbrecher (2002), section 6: p = (sin t, cos t), lambda = sin t cos t. */
static int steinbrecher(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double v1 = x[1], v2 = x[2], p1 = x[3], p2 = x[4];
    (void)t, (void)user;
    if (need & DFL_FORCE)
        out->f[0] = -p1 - 2 * p1 * v1 * v2, out->f[1] = -v1 + 2 * p1 * p2 * p2;
    if (need & DFL_POSITION)
        out->g[0] = p1 * p1 + p2 * p2 - 1;
    if (need & DFL_VELOCITY)
        out->gI[0] = 2 * (p1 * v1 + p2 * v2);
    if (need & DFL_DIRECTIONS)
        out->W[0] = 2 * p1, out->W[1] = 2 * p2;
    if (need & DFL_BIAS)
        out->bias[0] = 2 * (v1 * v1 + v2 * v2);
    return 0;
}

/* From his (37), g = 0.00020002 and gI = 0.0022 at the start, on [0, 5]: propositions 7, 9 and 11.
 */
static void steinbrechers_example_deviates_as_published(void **state)
{
    (void)state;
    const double x0[] = {0.0001, 0.999, 0.001, 0.0001, 1.0001}, g0 = 0.00020002, gI0 = 0.0022;
    const dfl_eom eom = {
        .np = 2, .nv = 2, .nl = 1, .eval = steinbrecher, .trivial_kinematics = true};
    const dfl_conditions as_given = {.mode = DFL_START_AS_GIVEN};
    for (int k = 0; k < USABLE_FORMS; k++) {
        const dfl_form form = usable_forms[k];
        dfl_solver_options options = {.form = form, .rtol = 1e-9};
        if (form == DFL_EOM || form == DFL_EXT317) /* no error control could allow their jumps */
            options.step.fixed = 0.005;
        const run r = run_with(&eom, 0, x0, 5, &options, &as_given);
        assert_succeeded(&r);
        const double *v = r.x + 1, *p = r.x + 3;
        const double g = p[0] * p[0] + p[1] * p[1] - 1, gI = 2 * (p[0] * v[0] + p[1] * v[1]);
        const bool index_1 = form == DFL_EOM1 || form == DFL_IMPLICIT;
        assert_near(g, index_1 ? g0 + gI0 * 5 : form == DFL_EOM2 ? g0 : 0, 2e-7);
        assert_near(gI, index_1 ? gI0 : 0, form == DFL_EOM ? 1e-5 : 2e-7);
        /* the change of the start by 1e-3 has grown 30 times by then */
        if (!index_1)
            assert_near(hypot(p[0] - sin(5), p[1] - cos(5)), 0, 5e-2);
    }
}

/* The largest second difference of lambda over the last hundred steps. */
typedef struct oscillation {
    double last[3], largest;
    int steps;
} oscillation;

static int note_multiplier(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    oscillation *o = user;
    (void)solver, (void)t_old, (void)t;
    memmove(o->last, o->last + 1, 2 * sizeof *o->last);
    o->last[2] = x[0];
    if (++o->steps > 900)
        o->largest = fmax(o->largest, fabs(o->last[2] - 2 * o->last[1] + o->last[0]));
    return 0;
}

/* His figures 2 to 5, 1000 steps: with the trapezoidal rule, which damps nothing, lambda of eom2
   and eom oscillates for ever; that of eom1 and of the strangeness-free form is smooth, h^2
   lambda'' = 5e-5. */
static void multipliers_of_higher_index_oscillate_with_the_trapezoidal_rule(void **state)
{
    (void)state;
    static const struct {
        dfl_form form;
        bool oscillates;
    } expected[] = {{DFL_PSF, false}, {DFL_EOM1, false}, {DFL_EOM2, true}, {DFL_EOM, true}};
    double x0[] = {0.0001, 0.999, 0.001, 0.0001, 1.0001};
    const dfl_eom eom = {
        .np = 2, .nv = 2, .nl = 1, .eval = steinbrecher, .trivial_kinematics = true};
    const dfl_conditions as_given = {.mode = DFL_START_AS_GIVEN};
    for (int k = 0; k < 4; k++) {
        if (expected[k].form == DFL_EOM) /* off the circle v would be 1e-4 / h at once */
            x0[3] = 0, x0[4] = 1;
        oscillation o = {{0}, 0, 0};
        const dfl_solver_options options = {.form = expected[k].form,
                                            .integrator = DFL_TRAPEZOIDAL,
                                            .step.fixed = 0.005,
                                            .output.on_step = note_multiplier,
                                            .user = &o};
        const run r = run_with(&eom, 0, x0, 5, &options, &as_given);
        assert_succeeded(&r);
        if (expected[k].oscillates)
            assert_true(o.largest > 0.1);
        else
            assert_true(o.largest < 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangent_planes_are_projected_invariants_with_lagged_constraints),
        cmocka_unit_test(the_overdetermined_system_is_ext317_with_lagged_constraints),
        cmocka_unit_test(index_1_with_accelerations_as_unknowns_is_index_1),
        cmocka_unit_test(psi1_is_ggl_with_lagged_constraints),
        cmocka_unit_test(without_constraints_all_forms_are_one),
        cmocka_unit_test(state_space_form_partition_and_a_ssf_are_one_for_a_constant_partition),
        cmocka_unit_test(lagging_makes_a_difference_of_the_size_of_the_error),
        cmocka_unit_test(inconsistent_positions_are_what_the_form_makes_of_them),
        cmocka_unit_test(inconsistent_velocities_are_what_the_form_makes_of_them),
        cmocka_unit_test(steinbrechers_example_deviates_as_published),
        cmocka_unit_test(multipliers_of_higher_index_oscillate_with_the_trapezoidal_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
