/* field_inertia.c: the inertia of one elastic body at a state; formulas in field_inertia.h. */
#include "multibody/field_inertia.h"

#include <string.h>

static void set_units(field_inertia *f, const dfl_tree_elastic *body);
static void add_sections(field_inertia *f, const dfl_tree_elastic *body);
static void products_J2(double *y, const field_inertia *f, const double *x);
static void products_C1(double *y, const field_inertia *f, const double *x);
static void products_Me(double *y, const field_inertia *f, const double *x);

dfl_status dfl_field_integrals_create(dfl_field_integrals **out, dfl_context *ctx, int n, int nz,
                                      int nforms, int nJ2, int nC1, int nMe)
{
    dfl_field_integrals *it = *out = dfl_alloc(ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    const size_t z = (size_t)nz;
    *it = (dfl_field_integrals){
        .ctx = ctx, .n = n, .nz = nz, .nforms = nforms, .nJ2 = nJ2, .nC1 = nC1, .nMe = nMe};
    it->a = dfl_alloc(ctx, z, sizeof *it->a);
    it->b = dfl_alloc(ctx, z, sizeof *it->b);
    it->S = dfl_alloc(ctx, 12 * z, sizeof *it->S);
    it->J2 = dfl_alloc(ctx, (size_t)nJ2 + (size_t)nC1 + (size_t)nMe, sizeof *it->J2);
    it->form = dfl_alloc(ctx, (size_t)(n * n * nforms) + 1, sizeof *it->form);
    it->twist = dfl_alloc(ctx, (size_t)n, sizeof *it->twist);
    it->mean = dfl_alloc(ctx, (size_t)n, sizeof *it->mean);
    if (!it->a || !it->b || !it->form || !it->S || !it->J2 || !it->twist || !it->mean) {
        dfl_field_integrals_free(it);
        *out = NULL;
        return DFL_NO_MEMORY;
    }
    it->J1 = it->S + 3 * z;
    it->C0 = it->J1 + 6 * z;
    it->C1 = it->J2 + nJ2;
    it->Me = it->C1 + nC1;
    return DFL_OK;
}

void dfl_field_integrals_free(dfl_field_integrals *it)
{
    if (!it)
        return;
    void *const blocks[] = {it->a, it->b, it->form, it->S, it->J2, it->twist, it->mean};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(it->ctx, blocks[i]);
    dfl_free(it->ctx, it);
}

dfl_status dfl_field_inertia_create(field_inertia *f, dfl_context *ctx,
                                    const dfl_tree_elastic *body)
{
    const dfl_field_integrals *of = body->integrals;
    const size_t z = (size_t)of->nz, n = (size_t)of->n;
    const size_t products = (size_t)of->nJ2 + (size_t)of->nC1 + (size_t)of->nMe + n;
    *f = (field_inertia){.of = of};
    double *at = f->store = dfl_alloc(ctx, z * (62 + 3 * n), sizeof *at);
    f->products = dfl_alloc(ctx, products, sizeof *f->products);
    if (!at || !f->products)
        return DFL_NO_MEMORY;
    double **const arrays[] = {&f->S,  &f->J1,  &f->C0,  &f->z,  &f->zd,  &f->zdd,
                               &f->Jz, &f->Jzd, &f->C,   &f->Cd, &f->Cdd, &f->Mz,
                               &f->Qz, &f->wz,  &f->wzd, &f->cv, &f->rows};
    const size_t width[] = {3, 6, 3, 1, 1, 1, 6, 6, 3, 3, 3, 1, 1, 6, 6, 6, 3 * n + 6};
    for (size_t i = 0; i < sizeof width / sizeof *width; at += z * width[i++])
        *arrays[i] = at;
    set_units(f, body);
    return DFL_OK;
}

void dfl_field_inertia_clear(field_inertia *f, dfl_context *ctx)
{
    dfl_free(ctx, f->store);
    dfl_free(ctx, f->products);
}

double dfl_field_unit(const dfl_tree_elastic *body, int field)
{
    const dfl_field_integrals *of = body->integrals;
    if (field < of->n)
        return of->twist[field] ? 1.0 : 1.0 / body->length;
    if (of->b[field] >= 0)
        return dfl_field_unit(body, of->a[field]) * dfl_field_unit(body, of->b[field]);
    return 1.0 / (body->length * body->length);
}

static void set_units(field_inertia *f, const dfl_tree_elastic *body)
{
    const dfl_field_integrals *of = f->of;
    const double m = body->mass, L = body->length, mLL = m * L * L;
    const int nproducts = of->nJ2 + of->nC1 + of->nMe;
    f->mass = m * of->mass;
    for (int k = 0; k < 3; k++)
        f->s0[k] = m * L * of->s0[k];
    for (int k = 0; k < 6; k++)
        f->J0[k] = mLL * of->J0[k];
    for (int j = 0; j < of->nz; j++) {
        const double unit = dfl_field_unit(body, j);
        for (int k = 0; k < 6; k++)
            f->J1[6 * j + k] = mLL * unit * of->J1[6 * j + k];
        for (int k = 0; k < 3; k++) {
            f->S[3 * j + k] = m * L * unit * of->S[3 * j + k];
            f->C0[3 * j + k] = mLL * unit * of->C0[3 * j + k];
        }
    }
    f->J2 = f->products;
    f->C1 = f->J2 + of->nJ2;
    f->Me = f->C1 + of->nC1;
    for (int i = 0; i < nproducts; i++) {
        f->products[i] = of->J2[i];
        f->products[i].value *=
            mLL * dfl_field_unit(body, of->J2[i].i) * dfl_field_unit(body, of->J2[i].j);
    }
    add_sections(f, body);
}

/* Sections turn about x with the body and with their twist. Room is left for the masses of twists.
 */
static void add_sections(field_inertia *f, const dfl_tree_elastic *body)
{
    const dfl_field_integrals *of = f->of;
    f->J0[0] += of->mass * body->rotary;
    for (int k = 0; k < of->n; k++) {
        const double inertia = of->twist[k] ? body->rotary : 0.0;
        f->C0[3 * k] += of->mean[k] * inertia;
        f->Me[of->nMe + k] = (dfl_field_product){k, k, 0, inertia};
    }
}

/* ------------------------------------------------------------------ states */

void dfl_field_place(node_mass *out, field_inertia *f, const double *q)
{
    const dfl_field_integrals *of = f->of;
    f->q = q;
    for (int j = 0; j < of->nz; j++) {
        f->z[j] = field_amplitude(f, j, q, q);
    }
    products_J2(f->Jz, f, f->z);
    products_C1(f->C, f, f->z);
    out->m = f->mass;
    memcpy(out->h, f->s0, sizeof f->s0);
    memcpy(out->J, f->J0, sizeof f->J0);
    for (int j = 0; j < of->nz; j++) {
        double *Jz = f->Jz + 6 * j;
        for (int k = 0; k < 6; k++) {
            const double J1 = f->J1[6 * j + k];
            out->J[k] += (J1 + Jz[k]) * f->z[j];
            Jz[k] = J1 + 2.0 * Jz[k];
        }
        for (int k = 0; k < 3; k++) {
            out->h[k] += f->S[3 * j + k] * f->z[j];
            f->C[3 * j + k] += f->C0[3 * j + k];
        }
    }
}

void dfl_field_move(field_inertia *f, const double *qd, const double *qdd)
{
    const dfl_field_integrals *of = f->of;
    const double *q = f->q;
    f->qd = qd;
    f->qdd = qdd;
    for (int j = 0; j < of->nz; j++) {
        const bool linear = of->b[j] == FIELD_LINEAR;
        f->zd[j] = linear ? qd[of->a[j]] : 2.0 * field_amplitude(f, j, q, qd);
        f->zdd[j] = linear ? qdd[of->a[j]]
                           : 2.0 * (field_amplitude(f, j, q, qdd) + field_amplitude(f, j, qd, qd));
    }
    products_C1(f->Cd, f, f->zd);
    products_Me(f->Mz, f, f->zdd);
}

/* y_j += J2_ij x_i and so on. */
static void products_J2(double *y, const field_inertia *f, const double *x)
{
    memset(y, 0, 6 * (size_t)f->of->nz * sizeof *y);
    for (int e = 0; e < f->of->nJ2; e++) {
        const dfl_field_product p = f->J2[e];
        y[6 * p.j + p.k] += p.value * x[p.i];
        if (p.i != p.j)
            y[6 * p.i + p.k] += p.value * x[p.j];
    }
}

static void products_C1(double *y, const field_inertia *f, const double *x)
{
    memset(y, 0, 3 * (size_t)f->of->nz * sizeof *y);
    for (int e = 0; e < f->of->nC1; e++) {
        const dfl_field_product p = f->C1[e];
        y[3 * p.j + p.k] += p.value * x[p.i];
        y[3 * p.i + p.k] -= p.value * x[p.j];
    }
}

static void products_Me(double *y, const field_inertia *f, const double *x)
{
    memset(y, 0, (size_t)f->of->nz * sizeof *y);
    for (int e = 0; e < f->of->nMe + f->of->n; e++) {
        const dfl_field_product p = f->Me[e];
        y[p.j] += p.value * x[p.i];
        if (p.i != p.j)
            y[p.i] += p.value * x[p.j];
    }
}

void dfl_field_load(double w[6], field_inertia *f, const double V[6], const double A[6])
{
    const double *om = V, *alpha = A;
    double a[3] = {A[3], A[4], A[5]}, Czd[3] = {0}, Szd[3] = {0}, Jzd[6] = {0}, Jom[3], twice[3];
    memcpy(f->V, V, sizeof f->V);
    memcpy(f->A, A, sizeof f->A);
    cross_add(a, om, V + 3);
    memset(w, 0, 6 * sizeof *w);
    for (int j = 0; j < f->of->nz; j++) {
        const double *C = f->C + 3 * j, *S = f->S + 3 * j, *Jz = f->Jz + 6 * j;
        for (int k = 0; k < 3; k++) {
            w[k] += C[k] * f->zdd[j];
            w[3 + k] += S[k] * f->zdd[j];
            Czd[k] += C[k] * f->zd[j];
            Szd[k] += S[k] * f->zd[j];
        }
        for (int k = 0; k < 6; k++)
            Jzd[k] += Jz[k] * f->zd[j];
        symmetric_times(Jom, Jz, om);
        f->Qz[j] = dot(C, alpha) + dot(S, a) + f->Mz[j] + 2.0 * dot(om, f->Cd + 3 * j) -
                   0.5 * dot(om, Jom);
    }
    symmetric_times(Jom, Jzd, om);
    for (int k = 0; k < 3; k++) {
        w[k] += Jom[k];
        twice[k] = 2.0 * om[k];
    }
    cross_add(w, om, Czd);
    cross_add(w + 3, twice, Szd);
}

void dfl_field_back(double *y, const field_inertia *f, const double *x, int width)
{
    for (int j = 0; j < f->of->nz; j++) {
        int at[DFL_MOST_ELASTIC];
        double value[DFL_MOST_ELASTIC];
        const int count = field_row(at, value, f, j, 0);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < width; k++)
                y[at[i] * width + k] += value[i] * x[j * width + k];
    }
}

/* Y (nz x n, by rows) = Me dz/dq, M = (dz/dq)^T Y. */
void dfl_field_mass(double *M, double *couplings, field_inertia *f)
{
    const int n = f->of->n;
    double *Y = f->rows;
    memset(Y, 0, (size_t)(f->of->nz * n) * sizeof *Y);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    memset(couplings, 0, 6 * (size_t)n * sizeof *couplings);
    for (int e = 0; e < f->of->nMe + n; e++) {
        const dfl_field_product p = f->Me[e];
        int at[DFL_MOST_ELASTIC];
        double value[DFL_MOST_ELASTIC];
        for (int side = 0; side < (p.i == p.j ? 1 : 2); side++) {
            const int count = field_row(at, value, f, side ? p.i : p.j, 0);
            for (int i = 0; i < count; i++)
                Y[(side ? p.j : p.i) * n + at[i]] += p.value * value[i];
        }
    }
    dfl_field_back(M, f, Y, n);
    for (int j = 0; j < f->of->nz; j++) {
        int at[DFL_MOST_ELASTIC];
        double value[DFL_MOST_ELASTIC];
        const int count = field_row(at, value, f, j, 0);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) {
                couplings[6 * at[i] + k] += value[i] * f->C[3 * j + k];
                couplings[6 * at[i] + 3 + k] += value[i] * f->S[3 * j + k];
            }
    }
}
