/* fe_loads.c: loads stiffen a body of finite elements: what they do is the difference of its
   stiffness under a load and without it, linear in the load.

       turning     K(w) = sum_ab w_a w_b Kw_ab      its part of the inertia is -Kw q q
       gravity     K(g) = -sum_a g_a Kt_a           int Phi2_ij = Kt_ij
       at a node   K(F) = sum_a F_a Kf_a            Phi2_ij = -Kf_ij, and the same of moments

   Turning also softens: programs of finite elements add -w^2 M across the axis, which is part of
   the equations of motion here and taken away. */
#include "elastic/reduction_internal.h"

#include <math.h>
#include <string.h>

enum { PLACES = 6 }; /* xx yy zz xy xz yz */
static const int place_of[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

typedef struct stiffening {
    const dfl_reduction *r;
    const double *u;   /* modes */
    double *G;         /* n x n: of one load */
    double *J2;        /* as of dfl_sid, before it is changed */
    double *Kw;        /* PLACES times n x n */
    bool have[PLACES]; /* which of Kw */
} stiffening;

static dfl_status find_change(const stiffening *w, const dfl_fe_load *load, const dfl_sid *out);
static dfl_status project(const stiffening *w, const dfl_fe *body);
static dfl_status take_turning(stiffening *w, dfl_sid *out, const dfl_fe_load *load);
static void take_pairs(double *to, const stiffening *w, const double load[3], double sign);
static int axes_of(int axis[3], const double load[3]);

dfl_status dfl_reduction_take_loads(dfl_sid *out, const dfl_reduction *r, const double *u)
{
    const dfl_fe_task *task = r->task;
    const size_t n2 = (size_t)(r->n * r->n);
    stiffening w = {.r = r, .u = u};
    w.G = dfl_alloc(r->ctx, (1 + 2 * PLACES) * n2, sizeof *w.G);
    dfl_status status = w.G ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        w.J2 = w.G + n2;
        w.Kw = w.J2 + PLACES * n2;
        memcpy(w.J2, out->J2, PLACES * n2 * sizeof *w.J2);
    }
    for (int pass = 1; pass <= 2; pass++) /* about one axis, then about two */
        for (int k = 0; k < task->nloads && !status; k++) {
            const dfl_fe_load *load = &task->load[k];
            int axis[3];
            if (axes_of(axis, load->load) != pass)
                continue;
            status = find_change(&w, load, out);
            if (!status && load->kind == DFL_FE_TURNING)
                status = take_turning(&w, out, load);
            else if (!status && load->kind == DFL_FE_GRAVITY)
                take_pairs(out->S2, &w, load->load, -1.0);
            else if (!status)
                take_pairs(load->kind == DFL_FE_FORCE ? out->node[load->node].phi2
                                                      : out->node[load->node].psi2,
                           &w, load->load, -1.0);
            out->stiffened = out->stiffened || load->kind != DFL_FE_TURNING;
        }
    dfl_free(r->ctx, w.G);
    return status;
}

static int axes_of(int axis[3], const double load[3])
{
    int count = 0;
    for (int a = 0; a < 3; a++)
        if (load[a] != 0.0)
            axis[count++] = a;
    return count;
}

/* G: what the load adds to the stiffness of the modes. */
static dfl_status find_change(const stiffening *w, const dfl_fe_load *load, const dfl_sid *out)
{
    const int n = w->r->n;
    const dfl_status status = project(w, &load->body);
    if (status)
        return status;
    for (int i = 0; i < n; i++)
        w->G[i * n + i] -= out->K[i * n + i];
    for (int a = 0; a < 3 && load->kind == DFL_FE_TURNING && load->softened; a++)
        for (int b = 0; b < 3; b++) /* w^2 tr B - w.B w */
            for (int i = 0; i < n * n; i++)
                w->G[i] += load->load[a] * load->load[b] * w->J2[place_of[a][b] * n * n + i];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            w->G[i * n + k] = w->G[k * n + i] = 0.5 * (w->G[i * n + k] + w->G[k * n + i]);
    return DFL_OK;
}

/* The unknown of the body for each of one under a load, or -1. */
static dfl_status match(int *to, const dfl_fe *fe, const dfl_fe *loaded)
{
    int *of = dfl_alloc(fe->ctx, 6 * (size_t)fe->nnodes, sizeof *of); /* unknown + 1 */
    if (!of)
        return DFL_NO_MEMORY;
    for (int i = 0; i < fe->n; i++)
        of[6 * fe->node[i] + fe->direction[i]] = i + 1;
    for (int i = 0; i < loaded->n; i++) {
        const int node = dfl_fe_find_node(fe, loaded->id[loaded->node[i]]);
        to[i] = node < 0 ? -1 : of[6 * node + loaded->direction[i]] - 1;
    }
    dfl_free(fe->ctx, of);
    return DFL_OK;
}

/* DFL_INVALID: modes move something that is held under the load, or is not there. */
static dfl_status check_held(const stiffening *w, const dfl_fe *body, const int *to)
{
    const dfl_fe *fe = w->r->fe;
    const int n = w->r->n;
    unsigned char *free = dfl_alloc(fe->ctx, (size_t)fe->n, 1);
    double size = 0.0, held = 0.0;
    if (!free)
        return DFL_NO_MEMORY;
    for (int i = 0; i < body->n; i++)
        if (to[i] >= 0)
            free[to[i]] = 1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < fe->n; i++) {
            const double x = fabs(w->u[(size_t)i + (size_t)fe->n * (size_t)j]);
            size = fmax(size, x);
            held = free[i] ? held : fmax(held, x);
        }
    dfl_free(fe->ctx, free);
    if (held <= 1e-7 * size)
        return DFL_OK;
    return dfl_fail(
        fe->ctx, DFL_INVALID,
        "%s: modes move nodes that are held under this load; hold what the frame of the "
        "body holds (with frame = \"tangent\" its first interface), or nothing",
        body->file[DFL_FE_STIFFNESS]);
}

/* G := U^T K U with the stiffness under the load */
static dfl_status project(const stiffening *w, const dfl_fe *body)
{
    const dfl_fe *fe = w->r->fe;
    const int n = w->r->n, N = body->n;
    int *to = dfl_alloc(fe->ctx, (size_t)N, sizeof *to);
    double *x = dfl_alloc(fe->ctx, (size_t)N * (size_t)(n + 1), sizeof *x), *y = x;
    dfl_status status = to && x ? match(to, fe, body) : DFL_NO_MEMORY;
    if (!status)
        status = check_held(w, body, to);
    for (int j = 0; j < n && !status; j++)
        for (int i = 0; i < N; i++)
            x[(size_t)N * (size_t)(j + 1) + (size_t)i] =
                to[i] < 0 ? 0.0 : w->u[(size_t)to[i] + (size_t)fe->n * (size_t)j];
    for (int j = 0; j < n && !status; j++) {
        dfl_fe_times(y, body, DFL_FE_STIFFNESS, x + (size_t)N * (size_t)(j + 1));
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int i = 0; i < N; i++)
                sum += x[(size_t)N * (size_t)(k + 1) + (size_t)i] * y[i];
            w->G[k * n + j] = sum;
        }
    }
    dfl_free(fe->ctx, x);
    dfl_free(fe->ctx, to);
    return status;
}

/* K(w) = w_a^2 Kw_aa + w_b^2 Kw_bb + w_a w_b Kw_ab */
static dfl_status take_turning(stiffening *w, dfl_sid *out, const dfl_fe_load *load)
{
    const int n2 = w->r->n * w->r->n;
    int axis[3];
    const bool two = axes_of(axis, load->load) == 2;
    const int a = axis[0], b = two ? axis[1] : a, place = place_of[a][b];
    if (two && !(w->have[a] && w->have[b]))
        return dfl_fail(w->r->ctx, DFL_INVALID,
                        "%s: turning about two axes needs the stiffness of turning about each",
                        load->body.file[DFL_FE_STIFFNESS]);
    double *K = w->Kw + (size_t)place * (size_t)n2;
    for (int i = 0; i < n2; i++) {
        const double others = two ? load->load[a] * load->load[a] * w->Kw[a * n2 + i] +
                                        load->load[b] * load->load[b] * w->Kw[b * n2 + i]
                                  : 0.0;
        K[i] = (w->G[i] - others) / (load->load[a] * load->load[b]);
        out->J2[place * n2 + i] -= (two ? 0.5 : 1.0) * K[i];
    }
    w->have[place] = true;
    return DFL_OK;
}

static void take_pairs(double *to, const stiffening *w, const double load[3], double sign)
{
    const int n = w->r->n;
    int axis[3];
    axes_of(axis, load);
    for (int i = 0; i < n; i++)
        for (int k = i; k < n; k++)
            to[axis[0] * DFL_MOST_PAIRS + dfl_mode_pair(n, i, k)] =
                sign * w->G[i * n + k] / load[axis[0]];
}
