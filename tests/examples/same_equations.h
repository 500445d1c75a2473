/* same_equations.h: a model from a script and the same model written by hand, block by block. */
#ifndef DFL_TESTS_SAME_EQUATIONS_H
#define DFL_TESTS_SAME_EQUATIONS_H

#include "scripted.h"

/* All blocks of one evaluation, in dense arrays with room to spare. */
enum { ROOM = 80 * 80 };
typedef struct evaluation {
    double kin[80], f[80], b[80], d[80], c[80], g[80], ep[80], gI[80], hv[80], e[80], gam[80];
    double W[ROOM], K0[ROOM], bias[80], M[ROOM];
    double Jd[ROOM], Jacc[ROOM], Jvel[ROOM], Jgam[ROOM], Jpos[ROOM], Jb[ROOM], Jdyn[ROOM],
        Jkin[ROOM];
} evaluation;

static inline void evaluate(evaluation *out, const dfl_eom *eom, double t, const double *x,
                            const double *a)
{
    *out = (evaluation){0};
    dfl_blocks blocks = {out->kin, out->f,  out->b, out->d,   out->c, out->g,  out->ep,
                         out->gI,  out->hv, out->e, out->gam, out->W, out->K0, out->bias};
    dfl_jacobian jacobian = {out->Jd,   out->Jacc, out->Jvel, out->Jgam,
                             out->Jpos, out->Jb,   out->Jdyn, out->Jkin};
    const unsigned need = eom->trivial_kinematics ? DFL_EVERYTHING & ~(unsigned)DFL_KINEMATICS
                                                  : (unsigned)DFL_EVERYTHING;
    assert_int_equal(eom->eval(&blocks, t, x, need, eom->user), 0);
    assert_int_equal(eom->mass(out->M, t, x, eom->user), 0);
    if (eom->jacobian)
        assert_int_equal(eom->jacobian(&jacobian, t, x, a, eom->user), 0);
}

/* The first `rows` rows of two matrices with different numbers of rows. */
static inline void assert_same(const char *what, const double *found, int found_rows,
                               const double *expected, int expected_rows, int rows, int columns)
{
    double size = 0.0;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            size = fmax(size, fabs(expected[i + j * expected_rows]));
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            const double a = found[i + j * found_rows], b = expected[i + j * expected_rows];
            if (!(fabs(a - b) <= 1e-12 * size))
                fail_msg("%s[%d,%d] is %.17g, by hand %.17g", what, i, j, a, b);
        }
}

/* A dense mass matrix, also from a diagonal one. */
static inline void spread_mass(double *M, const dfl_eom *eom)
{
    for (int i = eom->nv - 1; eom->mass_diagonal && i >= 0; i--) {
        const double value = M[i];
        M[i] = 0.0;
        M[i + i * eom->nv] = value;
    }
}

static inline void compare_at(const dfl_eom *ours, const dfl_eom *hand, double t, const double *x,
                              const double *a)
{
    static evaluation A, B;
    const int nc = hand->nl + hand->nm, n = dfl_eom_unknowns(hand), nv = hand->nv;
    const int npos = hand->ns + hand->nl + hand->nep, columns = nv + hand->ns + hand->np;
    evaluate(&A, ours, t, x, a);
    evaluate(&B, hand, t, x, a);
    spread_mass(A.M, ours);
    spread_mass(B.M, hand);
    if (!ours->trivial_kinematics)
        assert_same("kin", A.kin, hand->np, B.kin, hand->np, hand->np, 1);
    assert_same("M", A.M, nv, B.M, nv, nv, nv);
    assert_same("f", A.f, nv, B.f, nv, nv, 1);
    assert_same("d", A.d, hand->nw, B.d, hand->nw, hand->nw, 1);
    assert_same("g", A.g, hand->nl, B.g, hand->nl, hand->nl, 1);
    assert_same("ep", A.ep, hand->nep, B.ep, hand->nep, hand->nep, 1);
    assert_same("gI", A.gI, hand->nl, B.gI, hand->nl, hand->nl, 1);
    assert_same("hv", A.hv, hand->nm, B.hv, hand->nm, hand->nm, 1);
    assert_same("W", A.W, nc, B.W, nc, nc, nv);
    assert_same("bias", A.bias, nc, B.bias, nc, nc, 1);
    if (!hand->jacobian)
        return;
    assert_same("jacobian.d", A.Jd, hand->nw, B.Jd, hand->nw, hand->nw, n);
    assert_same("jacobian.acc", A.Jacc, nc, B.Jacc, nc, nc, n);
    assert_same("jacobian.vel", A.Jvel, nc + ours->ne, B.Jvel, nc + hand->ne, nc, columns);
    assert_same("jacobian.pos", A.Jpos, npos, B.Jpos, npos, npos, hand->ns + hand->np);
    assert_same("jacobian.dyn", A.Jdyn, nv, B.Jdyn, nv, nv, n);
    assert_same("jacobian.kin", A.Jkin, hand->np, B.Jkin, hand->np, hand->np, columns);
}

/* Numbers between -1 and 1 from a linear congruential generator. */
static inline double random_number(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)*seed / 2147483648.0 - 1.0;
}

/* Twenty states around the start of the problem. */
static inline void compare_equations(scripted *s, const problem *prob)
{
    const dfl_eom *ours = dfl_runnable_eom(s->run), *hand = &prob->eom;
    const int n = dfl_eom_unknowns(hand);
    double x[RUN_MOST], a[RUN_MOST];
    uint32_t seed = 1;
    assert_int_equal(dfl_eom_unknowns(ours), n);
    assert_true(n <= RUN_MOST && ours->np == hand->np && ours->nl == hand->nl);
    assert_true(ours->nep == hand->nep && ours->autonomous == hand->autonomous);
    dfl_runnable_set_levels(s->run, 0.0, prob->x0);
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < n; i++)
            x[i] = prob->x0[i] + 0.5 * random_number(&seed);
        for (int i = 0; i < hand->nv; i++)
            a[i] = 3.0 * random_number(&seed);
        compare_at(ours, hand, 0.1 * k, x, a);
    }
}

#endif
