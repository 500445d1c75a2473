/* modal_body.c: the invariants of an elastic body as sums over its mass. */
#include "elastic/elastic.h"

#include <math.h>

static double unit_of(const dfl_modal_body *body, int field, double length);
static bool is_zero(const double x[3]);
static void add_product(dfl_modal_body *body, double mass, const double *Phi, int i, int j);
static void round_off(double *x, int count, double size);
static void add_inertia(double *J, double factor, const double a[3], const double b[3]);
static void add_cross(double *c, double factor, const double a[3], const double b[3]);

dfl_status dfl_modal_body_create(dfl_modal_body **out, dfl_context *ctx, int n, int nz, int nnodes)
{
    *out = NULL;
    if (n < 1 || n > DFL_MOST_MODES || nz < n || nz > DFL_MOST_FIELDS)
        return dfl_fail(ctx, DFL_INVALID, "an elastic body has 1 to %d modes, not %d",
                        DFL_MOST_MODES, n);
    dfl_modal_body *body = dfl_alloc(ctx, 1, sizeof *body);
    if (!body)
        return DFL_NO_MEMORY;
    const size_t z = (size_t)nz;
    *body = (dfl_modal_body){.ctx = ctx, .n = n, .nz = nz, .nnodes = nnodes};
    body->amplitude = dfl_alloc(ctx, z, sizeof *body->amplitude);
    body->S = dfl_alloc(ctx, 3 * z, sizeof *body->S);
    body->J1 = dfl_alloc(ctx, 6 * z, sizeof *body->J1);
    body->J2 = dfl_alloc(ctx, 6 * z * z, sizeof *body->J2);
    body->C0 = dfl_alloc(ctx, 3 * z, sizeof *body->C0);
    body->C1 = dfl_alloc(ctx, 3 * z * z, sizeof *body->C1);
    body->Me = dfl_alloc(ctx, z * z, sizeof *body->Me);
    body->node = dfl_alloc(ctx, (size_t)nnodes, sizeof *body->node);
    bool complete = body->amplitude && body->S && body->J1 && body->J2 && body->C0 && body->C1 &&
                    body->Me && (body->node || nnodes == 0);
    for (int k = 0; k < nnodes && complete; k++) {
        body->node[k].phi = dfl_alloc(ctx, 3 * z, sizeof(double));
        body->node[k].psi = dfl_alloc(ctx, 3 * z, sizeof(double));
        body->node[k].strain = dfl_alloc(ctx, (size_t)n, sizeof(double));
        complete = body->node[k].phi && body->node[k].psi && body->node[k].strain;
    }
    for (int j = 0; j < n && complete; j++)
        body->amplitude[j] = (dfl_amplitude){j, DFL_LINEAR};
    if (!complete) {
        dfl_modal_body_free(body);
        return DFL_NO_MEMORY;
    }
    *out = body;
    return DFL_OK;
}

void dfl_modal_body_free(dfl_modal_body *body)
{
    if (!body)
        return;
    dfl_context *ctx = body->ctx;
    for (int k = 0; k < body->nnodes && body->node; k++) {
        dfl_free(ctx, body->node[k].phi);
        dfl_free(ctx, body->node[k].psi);
        dfl_free(ctx, body->node[k].strain);
    }
    dfl_free(ctx, body->node);
    dfl_free(ctx, body->amplitude);
    dfl_free(ctx, body->form);
    dfl_free(ctx, body->S);
    dfl_free(ctx, body->J1);
    dfl_free(ctx, body->J2);
    dfl_free(ctx, body->C0);
    dfl_free(ctx, body->C1);
    dfl_free(ctx, body->Me);
    dfl_free(ctx, body);
}

void dfl_modal_body_add(dfl_modal_body *body, double mass, const double r[3], const double *Phi)
{
    const int nz = body->nz;
    body->mass += mass;
    for (int k = 0; k < 3; k++)
        body->s0[k] += mass * r[k];
    add_inertia(body->J0, mass, r, r);
    for (int j = 0; j < nz; j++) {
        const double *b = Phi + 3 * j;
        if (is_zero(b))
            continue;
        for (int k = 0; k < 3; k++)
            body->S[3 * j + k] += mass * b[k];
        add_inertia(body->J1 + 6 * j, 2.0 * mass, r, b);
        add_cross(body->C0 + 3 * j, mass, r, b);
        for (int i = 0; i <= j; i++)
            if (!is_zero(Phi + 3 * i))
                add_product(body, mass, Phi, i, j);
    }
}

static bool is_zero(const double x[3])
{
    return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
}

/* To the integrals of fields i and j, and of j and i. */
static void add_product(dfl_modal_body *body, double mass, const double *Phi, int i, int j)
{
    const double *a = Phi + 3 * i, *b = Phi + 3 * j;
    const int place = i + body->nz * j, back = j + body->nz * i;
    double *J2 = body->J2 + 6 * place, *C1 = body->C1 + 3 * place;
    add_inertia(J2, mass, a, b);
    add_cross(C1, mass, a, b);
    body->Me[place] += mass * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    for (int k = 0; k < 6 && i < j; k++)
        body->J2[6 * back + k] = J2[k];
    for (int k = 0; k < 3 && i < j; k++)
        body->C1[3 * back + k] = -C1[k];
    body->Me[back] = body->Me[place];
}

/* By the inequality of Schwarz: |int Phi_i Phi_j| <= mass U_i U_j with the mean square U^2 of a
   field. */
void dfl_modal_body_round(dfl_modal_body *b)
{
    const int nz = b->nz;
    double U[DFL_MOST_FIELDS], far = 0.0;
    const double J = b->J0[0] + b->J0[1] + b->J0[2];
    for (int k = 0; k < b->nnodes; k++)
        for (int a = 0; a < 3; a++)
            far = fmax(far, fabs(b->node[k].at[a]));
    const double m = b->mass, L = J > 0.0 ? sqrt(0.5 * J / m) : far > 0.0 ? far : 1.0;
    for (int j = 0; j < nz; j++)
        U[j] = unit_of(b, j, L);
    round_off(b->s0, 3, m * L);
    round_off(b->J0, 6, m * L * L);
    for (int j = 0; j < nz; j++) {
        round_off(b->S + 3 * j, 3, m * U[j]);
        round_off(b->C0 + 3 * j, 3, m * L * U[j]);
        round_off(b->J1 + 6 * j, 6, m * L * U[j]);
        for (int i = 0; i < nz; i++) {
            const int place = i + nz * j;
            round_off(b->J2 + 6 * place, 6, m * U[i] * U[j]);
            round_off(b->C1 + 3 * place, 3, m * U[i] * U[j]);
            round_off(b->Me + place, 1, m * U[i] * U[j]);
        }
    }
    for (int k = 0; k < b->nnodes; k++) {
        round_off(b->node[k].at, 3, fmax(far, L));
        for (int j = 0; j < nz; j++) {
            round_off(b->node[k].phi + 3 * j, 3, U[j]);
            round_off(b->node[k].psi + 3 * j, 3, U[j] / L);
        }
    }
}

/* The root of the mean square of a field; of products without integrals that of the product. */
static double unit_of(const dfl_modal_body *b, int field, double length)
{
    const dfl_amplitude z = b->amplitude[field];
    if (z.b >= 0)
        return unit_of(b, z.a, length) * unit_of(b, z.b, length) / length;
    const double mass = b->Me[field + b->nz * field];
    return mass > 0.0 ? sqrt(mass / b->mass) : 1.0;
}

static void round_off(double *x, int count, double size)
{
    for (int i = 0; i < count; i++)
        if (fabs(x[i]) < 1e-13 * size)
            x[i] = 0.0;
}

/* J += factor (a.b 1 - sym(a b^T)) */
static void add_inertia(double *J, double factor, const double a[3], const double b[3])
{
    const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int k = 0; k < 3; k++)
        J[k] += factor * (dot - a[k] * b[k]);
    J[3] -= 0.5 * factor * (a[0] * b[1] + a[1] * b[0]);
    J[4] -= 0.5 * factor * (a[0] * b[2] + a[2] * b[0]);
    J[5] -= 0.5 * factor * (a[1] * b[2] + a[2] * b[1]);
}

static void add_cross(double *c, double factor, const double a[3], const double b[3])
{
    c[0] += factor * (a[1] * b[2] - a[2] * b[1]);
    c[1] += factor * (a[2] * b[0] - a[0] * b[2]);
    c[2] += factor * (a[0] * b[1] - a[1] * b[0]);
}
