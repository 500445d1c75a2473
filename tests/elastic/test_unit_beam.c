/* Modes of straight beams against the roots of their characteristic equations. */
#include "support.h"

#include "elastic/elastic.h"

#include <math.h>

/* From 0 to 1. */
static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed / 4294967296.0;
}

static dfl_unit_beam find(dfl_context *ctx, dfl_beam_task task)
{
    static const double stations[] = {0.0, 1.0};
    dfl_unit_beam beam;
    task.station = stations;
    task.nstations = 2;
    task.last = 1;
    assert_int_equal(dfl_unit_beam_find(&beam, ctx, &task), DFL_OK);
    return beam;
}

/* Steel, 1 m, 0.02 x 0.04: the roots of cosh x cos x = 1 give the bending modes of a free beam. */
static void a_free_beam_of_20_elements_has_its_frequencies(void **state)
{
    (void)state;
    static const double exact[] = {668.104,  1336.208, 1841.654, 3610.378,
                                   3683.308, 5968.138, 7220.756};
    const double E = 2.1e11, rho = 7850.0, b = 0.02, h = 0.04, A = b * h;
    dfl_context *ctx = dfl_context_create();
    const dfl_unit_beam beam =
        find(ctx, (dfl_beam_task){
                      .elements = 20,
                      .modes = 12,
                      .frame = DFL_FRAME_BUCKENS,
                      .stiffness = {E * A, E * b * h * h * h / 12, E * h * b * b * b / 12, 1e20}});
    for (int i = 0, k = 0; k < 7; i++) {
        assert_true(i < beam.body->n);
        if (beam.order.family[i] != DFL_BEAM_BEND_Y && beam.order.family[i] != DFL_BEAM_BEND_Z)
            continue;
        const double EI = beam.order.family[i] == DFL_BEAM_BEND_Y ? E * b * h * h * h / 12
                                                                  : E * h * b * b * b / 12;
        assert_near(sqrt(beam.order.k[i] * EI / (rho * A)) / exact[k], 1.0, k < 5 ? 6.2e-5 : 1e-3);
        k++;
    }
    /* Buckens: neither momentum nor angular momentum of the modes */
    for (int i = 0; i < beam.body->n; i++)
        for (int k = 0; k < 3; k++) {
            assert_near(beam.body->S[3 * i + k], 0.0, 1e-11);
            assert_near(beam.body->C0[3 * i + k], 0.0, 1e-11);
        }
    dfl_modal_body_free(beam.body);
    dfl_context_free(ctx);
}

/* sin(k pi x): S = 2 sqrt 2 / (k pi), shortening at the end (k pi)^2 / 2 per q^2. */
static void the_modes_between_two_pins_are_sines(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    dfl_context *ctx = dfl_context_create();
    const dfl_unit_beam beam = find(
        ctx, (dfl_beam_task){
                 .elements = 24, .modes = 3, .planar = true, .stiffness = {1e6, 1.0, 1.0, 1.0}});
    const dfl_modal_body *b = beam.body;
    assert_int_equal(b->n, 3);
    assert_int_equal(b->nz, 9);
    for (int k = 0; k < 3; k++) {
        const double a = (k + 1) * pi;
        assert_near(beam.order.k[k] / pow(a, 4), 1.0, 4e-5); /* (a / 24)^4 / 720 */
        assert_near(b->Me[k + 9 * k], 1.0, 1e-12);
        assert_near(fabs(b->S[3 * k + 1]), k == 1 ? 0.0 : 2 * sqrt(2.0) / a, 1e-6);
        assert_near(fabs(b->C0[3 * k + 2]), sqrt(2.0) / a, 1e-6);
        assert_near(b->node[1].phi[3 * k + 1], 0.0, 1e-12);
        assert_near(fabs(b->node[1].psi[3 * k + 2]), sqrt(2.0) * a, 1e-3);
    }
    for (int j = 3; j < 9; j++) {
        const dfl_amplitude z = b->amplitude[j];
        const double a = (z.a + 1) * pi;
        assert_near(b->node[1].phi[3 * j], z.a == z.b ? -a * a : 0.0, 1e-3);
    }
    dfl_modal_body_free(beam.body);
    dfl_context_free(ctx);
}

/* Without static shapes two or six fixed-interface modes miss free modes by 20 % and more. */
static void static_shapes_make_few_modes_accurate(void **state)
{
    (void)state;
    static const double exact[] = {4.730040745, 7.853204624};
    dfl_context *ctx = dfl_context_create();
    for (int modes = 2; modes <= 6; modes += 4) {
        const dfl_unit_beam beam = find(ctx, (dfl_beam_task){.elements = 20,
                                                             .modes = modes,
                                                             .interface = true,
                                                             .planar = true,
                                                             .frame = DFL_FRAME_BUCKENS,
                                                             .stiffness = {1e9, 1.0, 1.0, 1.0}});
        for (int i = 0; i < 2; i++)
            assert_near(sqrt(beam.order.k[i]) / (exact[i] * exact[i]), 1.0,
                        modes == 2 ? 4.4e-3 : 4.1e-4);
        dfl_modal_body_free(beam.body);
    }
    dfl_context_free(ctx);
}

/* M, J, C, S of a body of random points, against sums over the moved points. */
static void invariants_are_sums_over_points(void **state)
{
    (void)state;
    enum { POINTS = 9, N = 4 };
    dfl_context *ctx = dfl_context_create();
    dfl_modal_body *b = NULL;
    double r[POINTS][3], Phi[POINTS][3 * N], m[POINTS];
    const double q[N] = {0.3, -0.2, 0.7, 0.1};
    assert_int_equal(dfl_modal_body_create(&b, ctx, N, N, 0), DFL_OK);
    unsigned seed = 1;
    for (int p = 0; p < POINTS; p++) {
        m[p] = 0.1 + uniform(&seed);
        for (int k = 0; k < 3; k++)
            r[p][k] = uniform(&seed) - 0.5;
        for (int k = 0; k < 3 * N; k++)
            Phi[p][k] = uniform(&seed) - 0.5;
        dfl_modal_body_add(b, m[p], r[p], Phi[p]);
    }
    double Jzz = b->J0[2], Jxy = b->J0[3], C0z = b->C0[2], sumzz = 0, sumxy = 0, sumC = 0;
    for (int i = 0; i < N; i++) {
        Jzz += b->J1[6 * i + 2] * q[i];
        Jxy += b->J1[6 * i + 3] * q[i];
        C0z += b->C1[3 * (i + N * 0) + 2] * q[i];
        for (int j = 0; j < N; j++) {
            Jzz += b->J2[6 * (i + N * j) + 2] * q[i] * q[j];
            Jxy += b->J2[6 * (i + N * j) + 3] * q[i] * q[j];
        }
    }
    for (int p = 0; p < POINTS; p++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = r[p][k];
            for (int i = 0; i < N; i++)
                x[k] += Phi[p][3 * i + k] * q[i];
        }
        sumzz += m[p] * (x[0] * x[0] + x[1] * x[1]);
        sumxy -= m[p] * x[0] * x[1];
        sumC += m[p] * (x[0] * Phi[p][1] - x[1] * Phi[p][0]);
    }
    assert_near(Jzz, sumzz, 1e-12);
    assert_near(Jxy, sumxy, 1e-12);
    assert_near(C0z, sumC, 1e-12);
    dfl_modal_body_free(b);
    dfl_context_free(ctx);
}

static void more_modes_than_elements_have_are_refused(void **state)
{
    (void)state;
    static const double stations[] = {0.0, 1.0};
    dfl_context *ctx = dfl_context_create();
    dfl_unit_beam beam;
    const dfl_beam_task task = {.elements = 1,
                                .modes = 9,
                                .planar = true,
                                .station = stations,
                                .nstations = 2,
                                .last = 1,
                                .stiffness = {1, 1, 1, 1}};
    assert_int_equal(dfl_unit_beam_find(&beam, ctx, &task), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "more elements"));
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_beam_of_20_elements_has_its_frequencies),
        cmocka_unit_test(the_modes_between_two_pins_are_sines),
        cmocka_unit_test(static_shapes_make_few_modes_accurate),
        cmocka_unit_test(invariants_are_sums_over_points),
        cmocka_unit_test(more_modes_than_elements_have_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
