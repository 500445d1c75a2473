/* same_blocks.h: all blocks of the equations of two runs and their derivatives, compared at random
   states. */
#ifndef DFL_TESTS_SAME_BLOCKS_H
#define DFL_TESTS_SAME_BLOCKS_H

#include "../multibody/trees.h"
#include "two_ways.h"

/* Agreement to `closeness` of the largest entry. */
static void assert_same(const char *text, double closeness, const char *what, const double *found,
                        const double *expected, size_t n)
{
    double size = 1.0;
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(expected[i]));
    for (size_t i = 0; i < n; i++)
        if (!(fabs(found[i] - expected[i]) <= closeness * size))
            fail_msg("%s\n%s[%zu]: recursion %.17g, expressions %.17g", text, what, i, found[i],
                     expected[i]);
}

/* All numbers that the solver asks for, in one array. */
enum { BLOCKS = 14, JACOBIANS = 8 };
typedef struct asked {
    size_t size[BLOCKS + JACOBIANS + 1], total;
    double *all;
} asked;

static asked ask(const scripted *s, double t, const double *x, const double *a)
{
    const dfl_eom *e = dfl_runnable_eom(s->run);
    const int n = s->eq->n, nc = e->nl + e->nm, tail = e->nv + e->ns + e->np;
    const int sizes[BLOCKS + JACOBIANS + 1] = {e->np, e->nv, e->nr, e->nw, e->ns, e->nl, e->nep,
                                               e->nl, e->nm, e->ne, e->n0, nc * e->nv,
                                               e->nv * e->n0, nc,
                                               /* Jacobian */
                                               e->nw * n, nc * n, (nc + e->ne) * tail, e->n0 * n,
                                               (e->ns + e->nl + e->nep) * (e->ns + e->np),
                                               e->nr * n, e->nv * n, e->np * tail, e->nv * e->nv};
    double *part[BLOCKS + JACOBIANS + 1];
    asked out = {.total = 0};
    for (int i = 0; i <= BLOCKS + JACOBIANS; i++)
        out.total += out.size[i] = (size_t)sizes[i];
    out.all = calloc(out.total + 1, sizeof(double));
    for (int i = 0, at = 0; i <= BLOCKS + JACOBIANS; at += sizes[i++])
        part[i] = out.all + at;
    dfl_blocks blocks;
    dfl_jacobian jacobian;
    memcpy(&blocks, part, sizeof blocks);
    memcpy(&jacobian, part + BLOCKS, sizeof jacobian);
    unsigned need = DFL_EVERYTHING;
    if (e->trivial_kinematics)
        need &= ~(unsigned)DFL_KINEMATICS;
    assert_int_equal(e->eval(&blocks, t, x, need, e->user), 0);
    assert_int_equal(e->jacobian(&jacobian, t, x, a, e->user), 0);
    double *M = part[BLOCKS + JACOBIANS];
    assert_int_equal(e->mass(M, t, x, e->user), 0);
    for (int j = e->nv - 1; e->mass_diagonal && j >= 0; j--) {
        const double diagonal = M[j];
        M[j] = 0.0;
        M[j + j * e->nv] = diagonal;
    }
    return out;
}

/* The start of the script and what is near it. */
static void random_state(double *x, const scripted *s, uint64_t *seed)
{
    bool held[200];
    assert_true(s->eq->n <= 200);
    dfl_study_given(x, held, s->run);
    for (int i = 0; i < s->eq->n; i++)
        x[i] += number(seed, 0.25);
}

static void compare_at(const char *text, double closeness, scripted *one, scripted *other,
                       uint64_t *seed)
{
    static const char *const names[BLOCKS + JACOBIANS + 1] = {
        "kin", "f",    "b",  "d",    "c",    "g",    "ep",   "gI", "hv",   "e",    "gam", "W",
        "K0",  "bias", "Jd", "Jacc", "Jvel", "Jgam", "Jpos", "Jb", "Jdyn", "Jkin", "M"};
    double x[200], a[100];
    random_state(x, one, seed);
    numbers(a, one->eq->nv, seed, 2.0);
    const double t = number(seed, 1.0);
    asked here = ask(one, t, x, a), there = ask(other, t, x, a);
    assert_int_equal(here.total, there.total);
    for (int i = 0, at = 0; i <= BLOCKS + JACOBIANS; at += (int)here.size[i++])
        assert_same(text, closeness, names[i], there.all + at, here.all + at, here.size[i]);
    const double energy = dfl_runnable_energy(one->run, t, x);
    const double same = dfl_runnable_energy(other->run, t, x);
    assert_same(text, closeness, "energy", &same, &energy, 1);
    free(here.all);
    free(there.all);
}

#endif
