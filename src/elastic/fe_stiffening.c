/* fe_stiffening.c: loads stiffen frames of beams: displacements of second order.

   A load f, which the frame of reference holds, lets bar e carry the force N_e(f) along its axis,
   and that does work when the bar turns: the load has the geometric stiffness

       K_ij(f) = sum_e N_e(f) ∫ (v_i' v_j' + w_i' w_j') dx  =  -f.Phi2_ij,

   linear in f, which says what the displacement Phi2_ij q_i q_j / 2 of second order is: its
   integrals over the mass from the loads M e_a and M r_a e_b, at a node from unit forces and
   torques there. Moments and torques of sections are left out, as by the beams of unit_beam.c. */
#include "elastic/reduction_internal.h"

#include <math.h>
#include <string.h>

enum { INERTIAL = DFL_AFFINE_FIELDS, PER_NODE = 6 };

typedef struct loads {
    const dfl_reduction *r;
    int count;       /* INERTIAL, then PER_NODE of every node of the result */
    int free;        /* motions of interfaces that the frame of reference leaves */
    double *Z;       /* nr x nr: these motions are its first columns */
    double *L;       /* free x free: Cholesky factor of Z^T guyan Z */
    double *f, *u;   /* fe->n: a load and its displacements */
    double *yf, *yb; /* nf, nb: the same of free unknowns and of interfaces */
    double *x, *c;   /* nb */
    double *force;   /* nbars x count: N_e */
    double *K;       /* DFL_MOST_PAIRS x count: -K(f) */
} loads;

static dfl_status create(loads *w, const dfl_reduction *r, int nodes);
static dfl_status hold(loads *w);
static void inertial_load(loads *w, int load);
static void node_load(loads *w, int load);
static void add_force(loads *w, int unknown, double force);
static dfl_status solve(loads *w, int load);
static void add_bar(loads *w, int bar, const double *u);
static dfl_status take(dfl_sid *out, const loads *w);

dfl_status dfl_reduction_stiffen(dfl_sid *out, const dfl_reduction *r, const double *u)
{
    if (r->fe->nbars == 0)
        return DFL_OK;
    loads w;
    dfl_status status = create(&w, r, out->nnodes);
    if (!status)
        status = hold(&w);
    for (int k = 0; k < w.count && !status; k++) {
        memset(w.yf, 0, (size_t)r->nf * sizeof *w.yf);
        memset(w.yb, 0, (size_t)r->nb * sizeof *w.yb);
        if (k < INERTIAL)
            inertial_load(&w, k);
        else
            node_load(&w, k);
        status = solve(&w, k);
    }
    for (int e = 0; e < r->fe->nbars && !status; e++)
        add_bar(&w, e, u);
    if (!status)
        status = take(out, &w);
    dfl_free(r->ctx, w.Z);
    dfl_free(r->ctx, w.force);
    return status;
}

static dfl_status create(loads *w, const dfl_reduction *r, int nodes)
{
    const size_t nr = (size_t)r->nr, nb = (size_t)r->nb, N = (size_t)r->fe->n, nf = (size_t)r->nf;
    const size_t count = (size_t)(INERTIAL + PER_NODE * nodes), bars = (size_t)r->fe->nbars;
    *w = (loads){.r = r, .count = (int)count};
    w->Z = dfl_alloc(r->ctx, nr * nr + nb * nb + 2 * N + nf + 3 * nb, sizeof *w->Z);
    w->force = dfl_alloc(r->ctx, (bars + DFL_MOST_PAIRS) * count, sizeof *w->force);
    if (!w->Z || !w->force)
        return DFL_NO_MEMORY;
    w->L = w->Z + nr * nr;
    w->f = w->L + nb * nb;
    w->u = w->f + N;
    w->yf = w->u + N;
    w->yb = w->yf + nf;
    w->x = w->yb + nb;
    w->c = w->x + nb;
    w->K = w->force + bars * count;
    return DFL_OK;
}

/* The frame of reference holds the body; Buckens' frame does not, and the first interface does. */
static dfl_status hold(loads *w)
{
    const dfl_reduction *r = w->r;
    const bool mean = r->task->frame == DFL_FRAME_BUCKENS;
    const int kept = dfl_reduction_reference(w->Z, r, mean ? DFL_FRAME_TANGENT : r->task->frame);
    const int nb = r->nb, n = w->free = kept - r->task->modes;
    for (int k = 0; k < n; k++) {
        dfl_gemm(nb, 1, nb, 1.0, r->guyan, nb, w->Z + r->nr * k, nb, 0.0, w->x, nb);
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int a = 0; a < nb; a++)
                sum += w->Z[a + r->nr * i] * w->x[a];
            w->L[i + n * k] = sum;
        }
    }
    if (n > 0 && !dfl_cholesky(w->L, n))
        return dfl_fail(r->ctx, DFL_INVALID,
                        "some part of the body moves freely although its frame is held");
    return DFL_OK;
}

/* ------------------------------------------------------------------ loads */

/* M e_a, M r_a e_b */
static void inertial_load(loads *w, int load)
{
    const dfl_fe *fe = w->r->fe;
    dfl_fe_field(w->u, fe, load < 3 ? load : (load - 3) / 3, load < 3 ? -1 : (load - 3) % 3);
    dfl_fe_times(w->f, fe, DFL_FE_MASS, w->u);
    for (int i = 0; i < fe->n; i++)
        add_force(w, i, w->f[i]);
}

/* A unit force or torque at an interface or a node that is watched. */
static void node_load(loads *w, int load)
{
    const dfl_reduction *r = w->r;
    const int place = (load - INERTIAL) / PER_NODE, d = (load - INERTIAL) % PER_NODE;
    if (place < r->task->ninterfaces) {
        w->yb[6 * place + d] = 1.0;
        return;
    }
    const int node = dfl_fe_find_node(r->fe, r->task->watched[place - r->task->ninterfaces]);
    for (int i = 0; i < r->fe->n; i++)
        if (r->fe->node[i] == node && r->fe->direction[i] == d)
            add_force(w, i, 1.0);
}

static void add_force(loads *w, int unknown, double force)
{
    dfl_share s[3] = {{0}};
    const int count = dfl_reduction_shares(s, w->r, unknown);
    for (int a = 0; a < count; a++)
        *(s[a].y < w->r->nf ? &w->yf[s[a].y] : &w->yb[s[a].y - w->r->nf]) += s[a].factor * force;
}

/* Guyan's stiffness with the forces that free unknowns pass on, then these unknowns themselves. */
static dfl_status solve(loads *w, int load)
{
    const dfl_reduction *r = w->r;
    const size_t nf = (size_t)r->nf;
    for (int k = 0; k < r->nb; k++)
        for (size_t i = 0; i < nf; i++)
            w->yb[k] += r->shape[i + nf * (size_t)k] * w->yf[i];
    for (int k = 0; k < w->free; k++) {
        w->c[k] = 0.0;
        for (int a = 0; a < r->nb; a++)
            w->c[k] += w->Z[a + r->nr * k] * w->yb[a];
    }
    dfl_cholesky_forward(w->c, 1, w->L, w->free);
    dfl_cholesky_backward(w->c, w->L, w->free);
    memset(w->x, 0, (size_t)r->nb * sizeof *w->x);
    for (int k = 0; k < w->free; k++)
        for (int a = 0; a < r->nb; a++)
            w->x[a] += w->Z[a + r->nr * k] * w->c[k];
    if (!dfl_sparse_lu_solve(w->yf, r->lu))
        return dfl_fail(r->ctx, DFL_INVALID, "the stiffness is singular");
    for (int k = 0; k < r->nb; k++)
        for (size_t i = 0; i < nf; i++)
            w->yf[i] += r->shape[i + nf * (size_t)k] * w->x[k];
    dfl_reduction_expand(w->u, r, w->yf, w->x);
    for (int e = 0; e < r->fe->nbars; e++) {
        const dfl_fe_bar *bar = &r->fe->bar[e];
        double stretch = 0.0;
        for (int a = 0; a < 3; a++)
            stretch += bar->axes[0][a] * (w->u[bar->dof[6 + a]] - w->u[bar->dof[a]]);
        w->force[e + r->fe->nbars * load] = bar->EA * stretch / bar->length;
    }
    return DFL_OK;
}

/* ------------------------------------------------------------------ their work */

void dfl_fe_bend(double v[4], const dfl_fe_bar *bar, const double *u, int z)
{
    for (int end = 0; end < 2; end++) {
        v[2 * end] = v[2 * end + 1] = 0.0;
        for (int a = 0; a < 3; a++) {
            v[2 * end] += bar->axes[1 + z][a] * u[bar->dof[6 * end + a]];
            v[2 * end + 1] += (z ? -1.0 : 1.0) * bar->axes[2 - z][a] * u[bar->dof[6 * end + 3 + a]];
        }
    }
}

/* ∫ v' w' dx of cubic polynomials */
static double slopes(const double v[4], const double w[4], double L)
{
    const double A[4][4] = {{36, 3 * L, -36, 3 * L},
                            {3 * L, 4 * L * L, -3 * L, -L * L},
                            {-36, -3 * L, 36, -3 * L},
                            {3 * L, -L * L, -3 * L, 4 * L * L}};
    double sum = 0.0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            sum += v[i] * A[i][k] * w[k];
    return sum / (30.0 * L);
}

static void add_bar(loads *w, int e, const double *u)
{
    const dfl_reduction *r = w->r;
    const dfl_fe_bar *bar = &r->fe->bar[e];
    const int n = r->n;
    double v[DFL_MOST_MODES][2][4], shorter[DFL_MOST_PAIRS];
    for (int i = 0; i < n; i++)
        for (int z = 0; z < 2; z++)
            dfl_fe_bend(v[i][z], bar, u + (size_t)r->fe->n * (size_t)i, z);
    for (int i = 0; i < n; i++)
        for (int k = i; k < n; k++)
            shorter[dfl_mode_pair(n, i, k)] =
                slopes(v[i][0], v[k][0], bar->length) + slopes(v[i][1], v[k][1], bar->length);
    for (int load = 0; load < w->count; load++) {
        const double N = w->force[e + r->fe->nbars * load];
        for (int pair = 0; pair < n * (n + 1) / 2; pair++)
            w->K[DFL_MOST_PAIRS * load + pair] -= N * shorter[pair];
    }
}

/* Integrals over the mass are the first loads, in the order of affine fields. */
static dfl_status take(dfl_sid *out, const loads *w)
{
    const int n = w->r->n;
    out->stiffened = true;
    for (int load = INERTIAL; load < w->count; load++) {
        dfl_sid_node *node = &out->node[(load - INERTIAL) / PER_NODE];
        const int d = (load - INERTIAL) % PER_NODE;
        double *to = (d < 3 ? node->phi2 : node->psi2) + d % 3 * DFL_MOST_PAIRS;
        memcpy(to, w->K + DFL_MOST_PAIRS * load, (size_t)(n * (n + 1) / 2) * sizeof *to);
    }
    return dfl_affine_shares(out, w->r->ctx, w->K);
}
