/* fe_integrals.c: integrals of modes over the mass of finite elements.

   From points with mass if there are any, else from the mass matrix: of solids it is the same for
   x, y and z, and int r_a Phi_b = (r_a e_b)^T M Phi, int Phi_a Phi_b the part of Phi^T M Phi that
   pairs a with b. Nodes that turn count in J0, Cr and Me exactly, in the others through their
   shifts. */
#include "elastic/elastic.h"

typedef struct integrals {
    const dfl_fe *fe;
    const double *X; /* N x n: modes */
    double *MX;      /* N x n: M X */
    double *field;   /* N, and as many for products */
    int *shift;      /* 3 per node: its unknowns + 1, or 0 */
    dfl_sid *out;
    int n;
} integrals;

static dfl_status of_points(dfl_sid *out, const dfl_fe *fe, const double *X, int n);
static void rigid_part(integrals *w);
static void first_order(integrals *w);
static void second_order(integrals *w);
static double dot(const double *a, const double *b, int n);

dfl_status dfl_fe_integrals(dfl_sid *out, const dfl_fe *fe, const double *X, int modes)
{
    if (fe->npoints > 0)
        return of_points(out, fe, X, modes);
    const size_t N = (size_t)fe->n;
    integrals w = {.fe = fe, .X = X, .out = out, .n = modes};
    w.MX = dfl_alloc(fe->ctx, N * (size_t)modes, sizeof *w.MX);
    w.field = dfl_alloc(fe->ctx, 2 * N, sizeof *w.field);
    w.shift = dfl_alloc(fe->ctx, 3 * (size_t)fe->nnodes, sizeof *w.shift);
    const dfl_status status = w.MX && w.field && w.shift ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        for (int i = 0; i < fe->n; i++)
            if (fe->direction[i] < 3)
                w.shift[3 * fe->node[i] + fe->direction[i]] = i + 1;
        for (int i = 0; i < modes; i++)
            dfl_fe_times(w.MX + N * (size_t)i, fe, DFL_FE_MASS, X + N * (size_t)i);
        rigid_part(&w);
        first_order(&w);
        second_order(&w);
    }
    dfl_free(fe->ctx, w.MX);
    dfl_free(fe->ctx, w.field);
    dfl_free(fe->ctx, w.shift);
    return status;
}

static dfl_status of_points(dfl_sid *out, const dfl_fe *fe, const double *X, int n)
{
    dfl_modal_body *body;
    dfl_status status = dfl_modal_body_create(&body, fe->ctx, n, n, 0);
    if (status)
        return status;
    for (int p = 0; p < fe->npoints; p++) {
        const dfl_fe_point *point = &fe->point[p];
        double Phi[3 * DFL_MOST_MODES] = {0};
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 12; k++)
                for (int a = 0; a < 3; a++)
                    Phi[3 * j + a] += point->shape[3 * k + a] *
                                      X[(size_t)point->dof[k] + (size_t)fe->n * (size_t)j];
        dfl_modal_body_add(body, point->mass, point->at, Phi);
    }
    double K[DFL_MOST_MODES];
    for (int j = 0; j < n; j++)
        K[j] = out->K[j * n + j];
    status = dfl_sid_of_body(out, body);
    for (int j = 0; j < n; j++)
        out->K[j * n + j] = K[j];
    dfl_modal_body_free(body);
    return status;
}

void dfl_fe_field(double *out, const dfl_fe *fe, int a, int b)
{
    for (int i = 0; i < fe->n; i++) {
        const int d = fe->direction[i];
        if (b < 0) {
            out[i] = dfl_fe_rigid(fe, a, i);
            continue;
        }
        const int c = d - 3; /* e_a x e_b = +- e_c */
        out[i] = d < 3                        ? (d == b) * fe->at[3 * fe->node[i] + a]
                 : c == a || c == b || a == b ? 0.0
                 : (a + 1) % 3 == b           ? 0.5
                                              : -0.5;
    }
}

/* mass, moment, inertia, Ct and Cr */
static void rigid_part(integrals *w)
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const int N = w->fe->n, n = w->n;
    double *force = w->field + N;
    for (int a = 0; a < 3; a++) {
        dfl_fe_field(w->field, w->fe, a, -1);
        if (a == 0)
            dfl_fe_times(force, w->fe, DFL_FE_MASS, w->field);
        if (a == 0)
            w->out->mass = dot(w->field, force, N);
        for (int i = 0; i < n; i++)
            w->out->S[a * n + i] = dot(w->field, w->MX + (size_t)N * (size_t)i, N);
    }
    for (int a = 0; a < 3; a++) { /* force is that of a shift along x */
        dfl_fe_field(w->field, w->fe, a, 0);
        w->out->moment[a] = dot(w->field, force, N);
    }
    for (int k = 0; k < 6; k++) {
        dfl_fe_field(w->field, w->fe, 3 + pairs[k][0], -1);
        dfl_fe_times(force, w->fe, DFL_FE_MASS, w->field);
        for (int i = 0; i < n && k < 3; i++)
            w->out->C0[k * n + i] = dot(w->field, w->MX + (size_t)N * (size_t)i, N);
        dfl_fe_field(w->field, w->fe, 3 + pairs[k][1], -1);
        w->out->inertia[k] = dot(w->field, force, N);
    }
}

/* J1 = 2 tr A 1 - A - A^T, A_ab = int r_a Phi_b */
static void first_order(integrals *w)
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const int N = w->fe->n, n = w->n;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            dfl_fe_field(w->field, w->fe, a, b);
            for (int i = 0; i < n; i++) {
                const double A = dot(w->field, w->MX + (size_t)N * (size_t)i, N);
                for (int c = 0; c < 3 && a == b; c++)
                    w->out->J1[c * n + i] += 2.0 * A;
                w->out->J1[place[a][b] * n + i] -= a == b ? 2.0 * A : A;
            }
        }
}

/* J2 = tr B 1 - sym B, C1 = e:B, B_ab,ij = int Phi_ai Phi_bj = B_ba,ji: where nodes turn that holds
   for the mean of (M Phi_i) Phi_j and Phi_i (M Phi_j) alone. */
static void second_order(integrals *w)
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const dfl_fe *fe = w->fe;
    const int n = w->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double B[3][3] = {{0}};
            const double *mi = w->MX + (size_t)fe->n * (size_t)i, *xi = w->X + (mi - w->MX);
            const double *mj = w->MX + (size_t)fe->n * (size_t)j, *xj = w->X + (mj - w->MX);
            for (int k = 0; k < fe->nnodes; k++) {
                const int *unknown = w->shift + 3 * (size_t)k;
                for (int ab = 0; ab < 9 && unknown[0] > 0; ab++) {
                    const int a = unknown[ab / 3] - 1, b = unknown[ab % 3] - 1;
                    B[ab / 3][ab % 3] += 0.5 * (mi[a] * xj[b] + xi[a] * mj[b]);
                }
            }
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) {
                    const int c = 3 - a - b;
                    for (int d = 0; d < 3 && a == b; d++)
                        w->out->J2[(d * n + i) * n + j] += B[a][a];
                    w->out->J2[(place[a][b] * n + i) * n + j] -= a == b ? B[a][a] : 0.5 * B[a][b];
                    if (a != b)
                        w->out->C1[(c * n + i) * n + j] += (a + 1) % 3 == b ? B[a][b] : -B[a][b];
                }
        }
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
