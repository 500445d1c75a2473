/* The rank of mass matrices: chains of any length, mass and unit, and what a hint names as light.
 */
#include "../scripted.h"

#include <math.h>
#include <stdio.h>

/* A chain of n rods in the plane, rod b at angle[b] with length[b], mass[b] at its middle and the
   moment of inertia of a slender rod; its velocities are those of the joints. M (n x n) is the sum
   of J^T m J of all rods, in doubles: entries have relative errors of some eps. */
static void chain_mass(double *M, int n, const double *angle, const double *length,
                       const double *mass)
{
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int b = 0; b < n; b++) {
        /* columns of J: the middle of rod b, seen from joint j */
        double x = length[b] / 2 * cos(angle[b]), y = length[b] / 2 * sin(angle[b]);
        double rx[256], ry[256];
        for (int j = b; j >= 0; j--) {
            rx[j] = x;
            ry[j] = y;
            if (j > 0) {
                x += length[j - 1] * cos(angle[j - 1]);
                y += length[j - 1] * sin(angle[j - 1]);
            }
        }
        const double inertia = mass[b] * length[b] * length[b] / 12;
        for (int j = 0; j <= b; j++)
            for (int i = 0; i <= b; i++)
                M[i + j * n] += mass[b] * (rx[i] * rx[j] + ry[i] * ry[j]) + inertia;
    }
}

static int nullity(const double *M, int n)
{
    dfl_context *ctx = dfl_context_create();
    double *basis = NULL;
    int count = -1;
    assert_int_equal(dfl_mass_null_space(&basis, &count, ctx, M, n), DFL_OK);
    for (int k = 0; k < count; k++) { /* M y is rounding, relative to |M| |y| */
        const double *y = basis + k * n;
        for (int i = 0; i < n; i++) {
            double sum = 0, size = 0;
            for (int j = 0; j < n; j++) {
                sum += M[i + j * n] * y[j];
                size += fabs(M[i + j * n] * y[j]);
            }
            assert_true(fabs(sum) <= 1e-12 * size);
        }
    }
    dfl_free(ctx, basis);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    return count;
}

enum { SHAPES = 3 };

/* Straight, a zigzag, and an arc. */
static double bend(int shape, int b, int n)
{
    return shape == 0 ? 0.1 : shape == 1 ? (b % 2 ? 0.4 : -0.4) : 3.0 * b / n;
}

static void chains_of_every_length_and_unit_have_full_rank(void **state)
{
    (void)state;
    static const int sizes[] = {8, 20, 64, 112, 128, 256};
    double angle[256], length[256], mass[256], *M = malloc(256 * 256 * sizeof *M);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (double unit = 1e-6; unit < 2e6; unit *= 1e6) {
                const int n = sizes[s];
                for (int b = 0; b < n; b++) {
                    angle[b] = bend(shape, b, n);
                    length[b] = unit;
                    mass[b] = 0.1 / unit;
                }
                chain_mass(M, n, angle, length, mass);
                assert_int_equal(nullity(M, n), 0);
            }
    free(M);
}

/* Every second rod is massless, the last one too: only its joint moves no mass. Without the mass of
   the last heavy rod, the joints of the last three. */
static void massless_ends_of_long_chains_are_counted_exactly(void **state)
{
    (void)state;
    static const int sizes[] = {8, 64, 112, 128, 256};
    static const double heavy[] = {1e-6, 0.1, 1e6};
    double angle[256], length[256], mass[256], *M = malloc(256 * 256 * sizeof *M);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int k = 0; k < 3; k++) {
                const int n = sizes[s];
                for (int b = 0; b < n; b++) {
                    angle[b] = bend(shape, b, n);
                    length[b] = 1;
                    mass[b] = b % 2 ? 0 : heavy[k];
                }
                chain_mass(M, n, angle, length, mass);
                assert_int_equal(nullity(M, n), 1);
                mass[n - 2] = 0;
                chain_mass(M, n, angle, length, mass);
                assert_int_equal(nullity(M, n), 3);
            }
    free(M);
}

/* Neighbours whose masses differ by up to 1e6, and lengths by 100: still no massless direction. */
static void rods_of_very_different_masses_have_full_rank(void **state)
{
    (void)state;
    const int n = 100;
    double angle[100], length[100], mass[100], *M = malloc(100 * 100 * sizeof *M);
    unsigned seed = 7;
    for (int repeat = 0; repeat < 20; repeat++) {
        for (int b = 0; b < n; b++) {
            seed = seed * 1664525u + 1013904223u; /* Numerical Recipes, section 7.1 */
            const double part = (double)(seed >> 8) / (double)(1u << 24);
            angle[b] = 6 * part;
            length[b] = pow(100, part);
            seed = seed * 1664525u + 1013904223u;
            mass[b] = pow(1e6, (double)(seed >> 8) / (double)(1u << 24));
        }
        chain_mass(M, n, angle, length, mass);
        assert_int_equal(nullity(M, n), 0);
    }
    free(M);
}

/* Two rows that differ by one part in 1e12: their difference moves no mass. */
static void a_difference_in_the_last_digits_is_no_mass(void **state)
{
    (void)state;
    const double M[] = {1, 1, 1, 1 + 1e-12}, regular[] = {1, 1, 1, 1 + 1e-8};
    assert_int_equal(nullity(M, 2), 1);
    assert_int_equal(nullity(regular, 2), 0);
}

static scripted derive(const char *text, dfl_dynamics dynamics)
{
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {.dynamics = dynamics};
    scripted_expect(
        &s, dfl_script_load_text(&s.model, s.ctx, "model.lua", text, strlen(text), &options));
    scripted_expect(&s, dfl_equations_create(&s.eq, s.model, false));
    assert_true((s.model->tree != NULL) == (dynamics == DFL_DYNAMICS_RECURSION));
    return s;
}

/* A rope of equal rods on universal joints, bent; not one of its links is lighter than others. */
static void no_link_of_a_rope_is_called_negligible(void **state)
{
    (void)state;
    for (int n = 17; n <= 20; n++)
        for (int straight = 0; straight < 2; straight++) {
            char text[800];
            snprintf(
                text, sizeof text,
                "gravity{0, 0, -9.81}\n"
                "local last = ground\n"
                "for i = 1, %d do\n"
                "  local b = body('b'..i, { mass = 0.1, com = {i - 0.5, 0, 0},\n"
                "    inertia = {0.0001, 0.00833, 0.00833} })\n"
                "  local j = universal('j'..i, last, b, { at = {i - 1, 0, 0}, axis = {0, 1, 0},\n"
                "    axis2 = {0, 0, 1} })\n"
                "  initial{ [j.q1] = %d*0.05*i, [j.q2] = %d*0.3 }\n"
                "  last = b\n"
                "end\n",
                n, straight, straight);
            for (int way = 0; way < 2; way++) {
                scripted s = derive(text, way ? DFL_DYNAMICS_RECURSION : DFL_DYNAMICS_EXPRESSIONS);
                assert_int_equal(s.eq->massless.negligible, -1);
                assert_int_equal(s.eq->n0, 0);
                scripted_free(&s);
            }
        }
}

/* A gimbal ring of 1e-8 of the rotor in it: turning the ring alone, with the rotor staying where it
   is, moves the ring only. */
static void a_body_that_is_light_by_itself_is_named(void **state)
{
    (void)state;
    static const char text[] =
        "gravity{0, 0, 0}\n"
        "local ring = body('ring', { mass = 1e-8, com = {0, 0, 0}, inertia = {1e-8, 1e-8, 1e-8} "
        "})\n"
        "local rotor = body('rotor', { mass = 1, com = {0, 0, 0}, inertia = {1, 1, 1} })\n"
        "revolute('outer', ground, ring, { at = {0, 0, 0}, axis = {0, 0, 1} })\n"
        "revolute('inner', ring, rotor, { at = {0, 0, 0}, axis = {0, 0, 1} })\n";
    for (int way = 0; way < 2; way++) {
        scripted s = derive(text, way ? DFL_DYNAMICS_RECURSION : DFL_DYNAMICS_EXPRESSIONS);
        assert_true(s.eq->massless.negligible >= 0);
        assert_string_equal(s.eq->x[s.eq->massless.negligible].name, "der(outer.q)");
        assert_near(s.eq->massless.negligible_ratio, 1e-8 / (1 + 1e-8), 1e-15);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_every_length_and_unit_have_full_rank),
        cmocka_unit_test(massless_ends_of_long_chains_are_counted_exactly),
        cmocka_unit_test(rods_of_very_different_masses_have_full_rank),
        cmocka_unit_test(a_difference_in_the_last_digits_is_no_mass),
        cmocka_unit_test(no_link_of_a_rope_is_called_negligible),
        cmocka_unit_test(a_body_that_is_light_by_itself_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
