/* fe_beams.c: frames of straight beams as finite elements (Euler and Bernoulli).

   Twelve unknowns per element: three shifts and three turns at both ends. The mass of a section
   stands at four points off the axis, which have its inertias; sections stay across the axis, so
   that a point (0, y, z) of a section moves by (u - y v' - z w', v - z t, w + y t). */
#include "elastic/elastic.h"

#include <math.h>
#include <string.h>

enum { GAUSS = 4, CORNERS = 4, UNKNOWNS = 12 };

typedef struct element {
    double axes[3][3], length;
    const dfl_fe_beam *beam;
    int dof[UNKNOWNS];
    double from[3];
} element;

static dfl_status add_nodes(dfl_fe *fe, const double *points, int npoints, const dfl_fe_beam *beams,
                            int nbeams);
static dfl_status find_axes(element *e, const dfl_fe *fe);
static dfl_status add_element(dfl_fe *fe, const element *e);
static void stiffness(double K[UNKNOWNS][UNKNOWNS], const element *e);
static void local_shape(double N[3][UNKNOWNS], double x, double length, double y, double z);
static void add_point(dfl_fe *fe, const element *e, double x, double weight, double y, double z);

dfl_status dfl_fe_frame(dfl_fe *fe, const double *points, int npoints, const dfl_fe_beam *beams,
                        int nbeams)
{
    int elements = 0, node = npoints;
    for (int b = 0; b < nbeams; b++)
        elements += beams[b].elements;
    if (6 * (npoints + elements) > DFL_MOST_FE_DOFS)
        return dfl_fail(fe->ctx, DFL_INVALID, "%d elements are too many", elements);
    dfl_status status = add_nodes(fe, points, npoints, beams, nbeams);
    fe->point = dfl_alloc(fe->ctx, (size_t)(elements * GAUSS * CORNERS), sizeof *fe->point);
    fe->bar = dfl_alloc(fe->ctx, (size_t)elements, sizeof *fe->bar);
    if (!status && !(fe->point && fe->bar))
        status = DFL_NO_MEMORY;
    for (int b = 0; b < nbeams && !status; b++) {
        const dfl_fe_beam *beam = &beams[b];
        element e = {.beam = beam};
        status = find_axes(&e, fe);
        for (int i = 0; i < beam->elements && !status; i++) {
            const int first = i == 0 ? beam->first : node - 1;
            const int last = i == beam->elements - 1 ? beam->last : node++;
            for (int d = 0; d < 6; d++) {
                e.dof[d] = 6 * first + d;
                e.dof[6 + d] = 6 * last + d;
            }
            memcpy(e.from, fe->at + 3 * first, sizeof e.from);
            dfl_fe_bar *bar = &fe->bar[fe->nbars++];
            *bar = (dfl_fe_bar){.length = e.length,
                                .EA = beam->EA,
                                .EI = beam->EI,
                                .EI2 = beam->EI2,
                                .GJ = beam->GJ,
                                .beam = b};
            memcpy(bar->dof, e.dof, sizeof bar->dof);
            memcpy(bar->axes, e.axes, sizeof bar->axes);
            status = add_element(fe, &e);
        }
    }
    return status;
}

/* The points, and nodes within the beams; six unknowns each. */
static dfl_status add_nodes(dfl_fe *fe, const double *points, int npoints, const dfl_fe_beam *beams,
                            int nbeams)
{
    int n = npoints;
    for (int b = 0; b < nbeams; b++)
        n += beams[b].elements - 1;
    fe->id = dfl_alloc(fe->ctx, (size_t)n, sizeof *fe->id);
    fe->at = dfl_alloc(fe->ctx, 3 * (size_t)n, sizeof *fe->at);
    fe->node = dfl_alloc(fe->ctx, 6 * (size_t)n, sizeof *fe->node);
    fe->direction = dfl_alloc(fe->ctx, 6 * (size_t)n, sizeof *fe->direction);
    if (!fe->id || !fe->at || !fe->node || !fe->direction)
        return DFL_NO_MEMORY;
    memcpy(fe->at, points, 3 * (size_t)npoints * sizeof *points);
    int node = npoints;
    for (int b = 0; b < nbeams; b++)
        for (int i = 1; i < beams[b].elements; i++, node++)
            for (int a = 0; a < 3; a++) {
                const double x = points[3 * beams[b].first + a], y = points[3 * beams[b].last + a];
                fe->at[3 * node + a] = x + (y - x) * i / beams[b].elements;
            }
    fe->nnodes = n;
    fe->n = 6 * n;
    for (int k = 0; k < n; k++)
        fe->id[k] = k + 1;
    for (int i = 0; i < fe->n; i++) {
        fe->node[i] = i / 6;
        fe->direction[i] = i % 6;
    }
    return DFL_OK;
}

/* x along the beam, y towards `up`; if that is zero, towards y, or z for beams along y. */
static dfl_status find_axes(element *e, const dfl_fe *fe)
{
    const dfl_fe_beam *b = e->beam;
    double length = 0.0, up[3], along = 0.0, across = 0.0;
    memcpy(up, b->up, sizeof up);
    for (int a = 0; a < 3; a++) {
        e->axes[0][a] = fe->at[3 * b->last + a] - fe->at[3 * b->first + a];
        length = hypot(length, e->axes[0][a]);
    }
    if (!(length > 0.0))
        return dfl_fail(fe->ctx, DFL_INVALID, "a beam has no length");
    for (int a = 0; a < 3; a++)
        e->axes[0][a] /= length;
    e->length = length / b->elements;
    if (up[0] == 0.0 && up[1] == 0.0 && up[2] == 0.0)
        up[fabs(e->axes[0][1]) > 0.9 ? 2 : 1] = 1.0;
    for (int a = 0; a < 3; a++)
        along += up[a] * e->axes[0][a];
    for (int a = 0; a < 3; a++) {
        e->axes[1][a] = up[a] - along * e->axes[0][a];
        across = hypot(across, e->axes[1][a]);
    }
    if (!(across > 1e-9 * hypot(hypot(up[0], up[1]), up[2])))
        return dfl_fail(fe->ctx, DFL_INVALID, "up is along the beam; give a direction across it");
    for (int a = 0; a < 3; a++)
        e->axes[1][a] /= across;
    for (int a = 0; a < 3; a++) {
        const int b1 = (a + 1) % 3, c = (a + 2) % 3;
        e->axes[2][a] = e->axes[0][b1] * e->axes[1][c] - e->axes[0][c] * e->axes[1][b1];
    }
    return DFL_OK;
}

/* A local matrix in axes of the body. */
static double turned(const element *e, double A[UNKNOWNS][UNKNOWNS], int i, int k)
{
    double sum = 0.0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            sum += e->axes[a][i % 3] * A[i / 3 * 3 + a][k / 3 * 3 + b] * e->axes[b][k % 3];
    return sum;
}

static dfl_status add_entries(dfl_fe *fe, dfl_fe_matrix which, const element *e,
                              double A[UNKNOWNS][UNKNOWNS])
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < UNKNOWNS; i++)
        for (int k = 0; k < UNKNOWNS && !status; k++)
            if (e->dof[i] <= e->dof[k])
                status = dfl_fe_add(fe, which,
                                    (dfl_fe_entry){e->dof[i], e->dof[k], 0, turned(e, A, i, k)});
    return status;
}

static dfl_status add_element(dfl_fe *fe, const element *e)
{
    static const double at[GAUSS] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                     0.8611363115940526};
    static const double weight[GAUSS] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                         0.3478548451374538};
    const dfl_fe_beam *b = e->beam;
    const double y = sqrt(2.0 * b->rhoI / b->rhoA), z = sqrt(2.0 * b->rhoI2 / b->rhoA);
    double K[UNKNOWNS][UNKNOWNS] = {{0}}, M[UNKNOWNS][UNKNOWNS] = {{0}};
    for (int p = 0; p < GAUSS; p++)
        for (int c = 0; c < CORNERS; c++) {
            const double side = c % 2 ? -1.0 : 1.0, py = c < 2 ? side * y : 0.0;
            const double pz = c < 2 ? 0.0 : side * z, x = 0.5 * (1.0 + at[p]);
            const double mass = 0.5 * weight[p] * b->rhoA * e->length / CORNERS;
            double N[3][UNKNOWNS];
            local_shape(N, x, e->length, py, pz);
            for (int i = 0; i < UNKNOWNS; i++)
                for (int k = 0; k < UNKNOWNS; k++)
                    for (int a = 0; a < 3; a++)
                        M[i][k] += mass * N[a][i] * N[a][k];
            add_point(fe, e, x, mass, py, pz);
        }
    stiffness(K, e);
    const dfl_status status = add_entries(fe, DFL_FE_STIFFNESS, e, K);
    return status ? status : add_entries(fe, DFL_FE_MASS, e, M);
}

/* Unknowns: u v w, turns about x y z at x = 0, then at x = 1. */
static void local_shape(double N[3][UNKNOWNS], double x, double length, double y, double z)
{
    const double H[4] = {1 - x * x * (3 - 2 * x), length * x * (1 - x) * (1 - x),
                         x * x * (3 - 2 * x), -length * x * x * (1 - x)};
    const double S[4] = {-6 * x * (1 - x) / length, (1 - x) * (1 - 3 * x), 6 * x * (1 - x) / length,
                         x * (3 * x - 2)};
    memset(N, 0, 3 * sizeof *N);
    for (int end = 0; end < 2; end++) {
        const int i = 6 * end, h = 2 * end;
        const double line = end ? x : 1 - x;
        N[0][i] = line;
        N[1][i + 1] = H[h]; /* v, with v' = turn about z */
        N[1][i + 5] = H[h + 1];
        N[0][i + 1] = -y * S[h];
        N[0][i + 5] = -y * S[h + 1];
        N[2][i + 2] = H[h]; /* w, with w' = -turn about y */
        N[2][i + 4] = -H[h + 1];
        N[0][i + 2] = -z * S[h];
        N[0][i + 4] = z * S[h + 1];
        N[1][i + 3] = -z * line;
        N[2][i + 3] = y * line;
    }
}

static void add_point(dfl_fe *fe, const element *e, double x, double mass, double y, double z)
{
    dfl_fe_point *p = &fe->point[fe->npoints++];
    double N[3][UNKNOWNS];
    local_shape(N, x, e->length, y, z);
    p->mass = mass;
    memcpy(p->dof, e->dof, sizeof p->dof);
    for (int a = 0; a < 3; a++)
        p->at[a] =
            e->from[a] + x * e->length * e->axes[0][a] + y * e->axes[1][a] + z * e->axes[2][a];
    for (int k = 0; k < UNKNOWNS; k++)
        for (int a = 0; a < 3; a++) {
            double sum = 0.0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    sum += e->axes[i][a] * N[i][k / 3 * 3 + j] * e->axes[j][k % 3];
            p->shape[3 * k + a] = sum;
        }
}

static void spring(double K[UNKNOWNS][UNKNOWNS], int i, double k)
{
    K[i][i] += k;
    K[6 + i][6 + i] += k;
    K[i][6 + i] -= k;
    K[6 + i][i] -= k;
}

/* Bending: shift `s`, turn `t` with slope = sign turn. */
static void bend(double K[UNKNOWNS][UNKNOWNS], int s, int t, double sign, double EI, double L)
{
    const int place[4] = {s, t, 6 + s, 6 + t};
    const double A[4][4] = {{12, 6 * L, -12, 6 * L},
                            {6 * L, 4 * L * L, -6 * L, 2 * L * L},
                            {-12, -6 * L, 12, -6 * L},
                            {6 * L, 2 * L * L, -6 * L, 4 * L * L}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            K[place[i]][place[k]] +=
                EI / (L * L * L) * A[i][k] * (i % 2 ? sign : 1.0) * (k % 2 ? sign : 1.0);
}

static void stiffness(double K[UNKNOWNS][UNKNOWNS], const element *e)
{
    spring(K, 0, e->beam->EA / e->length);
    spring(K, 3, e->beam->GJ / e->length);
    bend(K, 1, 5, 1.0, e->beam->EI, e->length);
    bend(K, 2, 4, -1.0, e->beam->EI2, e->length);
}
