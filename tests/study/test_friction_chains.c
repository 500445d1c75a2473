/* Chains of three blocks, of which each rubs on the one before, and the first one or the last one
   on the ground, or all of them, so that more frictions stick than motions, against another way to
   compute them: time steps of fixed size in which the impulses of all frictions are found by
   iteration (Moreau), without modes, instants or order. Its error is of the size of its steps. */
#include "../scripted.h"

enum { BLOCKS = 3, FRICTIONS = 5, CHAINS = 24 };

typedef struct chain {
    double mass[BLOCKS], spring[BLOCKS], force[BLOCKS], rate[BLOCKS], start[BLOCKS];
    double load[FRICTIONS]; /* ground 0, 1, 2; between 0 and 1, 1 and 2 */
    double x[BLOCKS], v[BLOCKS], impulse[FRICTIONS];
} chain;

/* Numbers without a pattern, the same everywhere. */
static double between(unsigned *seed, double low, double high)
{
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (*seed >> 8) / 16777216.0;
}

static chain make(unsigned no)
{
    unsigned seed = no;
    chain c = {.mass = {0}};
    for (int i = 0; i < BLOCKS; i++) {
        c.mass[i] = between(&seed, 0.5, 2);
        c.spring[i] = between(&seed, 1, 8);
        c.force[i] = between(&seed, 0, 6);
        c.rate[i] = between(&seed, 1, 6);
        c.v[i] = c.start[i] = between(&seed, -2, 2);
    }
    for (int i = 0; i < FRICTIONS; i++)
        c.load[i] = between(&seed, 0.2, 3);
    if (no <= CHAINS / 2) /* no more frictions than blocks */
        c.load[1] = c.load[between(&seed, 0, 1) < 0.5 ? 0 : 2] = 0;
    return c;
}

/* The speed of friction k, or what an impulse along it changes in the speed of block i. */
static double along(int k, int i)
{
    return k < BLOCKS ? (double)(i == k) : (double)(i == k - BLOCKS + 1) - (i == k - BLOCKS);
}

static void rub(chain *c, double h)
{
    double change = 1;
    for (int it = 0; it < 200 && change > 1e-14; it++) {
        change = 0;
        for (int k = 0; k < FRICTIONS; k++) {
            double slip = 0, answer = 0;
            for (int i = 0; i < BLOCKS; i++) {
                slip += along(k, i) * c->v[i];
                answer += along(k, i) * along(k, i) / c->mass[i];
            }
            const double most = c->load[k] * h, old = c->impulse[k];
            c->impulse[k] = fmax(-most, fmin(most, old - slip / answer));
            for (int i = 0; i < BLOCKS; i++)
                c->v[i] += along(k, i) * (c->impulse[k] - old) / c->mass[i];
            change = fmax(change, fabs(c->impulse[k] - old));
        }
    }
}

static void advance(chain *c, double to, double h)
{
    const long steps = lround(to / h);
    for (long s = 0; s < steps; s++) {
        const double t = ((double)s + 0.5) * h;
        for (int i = 0; i < BLOCKS; i++)
            c->x[i] += 0.5 * h * c->v[i];
        for (int i = 0; i < BLOCKS; i++)
            c->v[i] +=
                h * (c->force[i] * sin(c->rate[i] * t) - c->spring[i] * c->x[i]) / c->mass[i];
        for (int k = 0; k < FRICTIONS; k++)
            for (int i = 0; i < BLOCKS; i++)
                c->v[i] += along(k, i) * c->impulse[k] / c->mass[i];
        rub(c, h);
        for (int i = 0; i < BLOCKS; i++)
            c->x[i] += 0.5 * h * c->v[i];
    }
}

static scripted write(const chain *c)
{
    char text[2000] = "local x0, x1, x2 = position('x0', 'x1', 'x2')\n";
    for (int i = 0; i < BLOCKS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "mass(x%d, %.17g) initial{['der(x%d)'] = %.17g}\n"
                 "force(x%d, %.17g*sin(%.17g*time) - %.17g*x%d)\n",
                 i, c->mass[i], i, c->start[i], i, c->force[i], c->rate[i], c->spring[i], i);
    for (int k = 0; k < FRICTIONS; k++) {
        char slip[20];
        if (k < BLOCKS)
            snprintf(slip, sizeof slip, "x%d", k);
        else
            snprintf(slip, sizeof slip, "x%d - x%d", k - BLOCKS + 1, k - BLOCKS);
        if (c->load[k] > 0)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "friction('f%d', %s, {load = %.17g})\n", k, slip, c->load[k]);
    }
    return scripted_text(text);
}

static void chains_move_as_time_steps_say(void **state)
{
    (void)state;
    for (unsigned k = 0; k < CHAINS; k++) {
        chain c = make(k + 1);
        scripted s = write(&c);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8, .atol = 1e-8});
        scripted_advance(&s, 4);
        advance(&c, 4, 2e-4);
        assert_near(scripted_value(&s, "x0"), c.x[0], 1e-3);
        assert_near(scripted_value(&s, "x1"), c.x[1], 1e-3);
        assert_near(scripted_value(&s, "x2"), c.x[2], 1e-3);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_move_as_time_steps_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
