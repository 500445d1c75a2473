/* field_inertia.c: the inertia of one elastic body at a state; formulas in field_inertia.h. */
#include "multibody/field_inertia.h"

#include <string.h>

static void lay_out_rows(field_inertia *f);
static void set_units(field_inertia *f, const dfl_tree_elastic *body);
static void add_sections(field_inertia *f, const dfl_tree_elastic *body);
static void set_rows(field_inertia *f, int order, const double *x);
static double row_times(const field_inertia *f, int order, int field, const double *x);
static void sum_products(field_inertia *f, const double *x);
static void add_inertias(double *J, const field_inertia *f, double factor);
static void take_couplings(double *C, const field_inertia *f);
static void take_masses(double *y, const field_inertia *f, const double *x);

dfl_status dfl_field_integrals_create(dfl_field_integrals **out, dfl_context *ctx, int n, int nz,
                                      int nforms, int ncomponents, int nrest)
{
    dfl_field_integrals *it = *out = dfl_alloc(ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    const size_t z = (size_t)nz;
    *it = (dfl_field_integrals){.ctx = ctx,
                                .n = n,
                                .nz = nz,
                                .nforms = nforms,
                                .first = {0, 0, 0, ncomponents},
                                .nrest = nrest};
    it->a = dfl_alloc(ctx, z, sizeof *it->a);
    it->b = dfl_alloc(ctx, z, sizeof *it->b);
    it->S = dfl_alloc(ctx, 12 * z, sizeof *it->S);
    it->field = dfl_alloc(ctx, (size_t)ncomponents + 1, sizeof *it->field);
    it->B = dfl_alloc(ctx, (size_t)ncomponents * (size_t)ncomponents + 1, sizeof *it->B);
    it->rest = dfl_alloc(ctx, (size_t)nrest + 1, sizeof *it->rest);
    it->form = dfl_alloc(ctx, (size_t)(n * n * nforms) + 1, sizeof *it->form);
    it->twist = dfl_alloc(ctx, (size_t)n, sizeof *it->twist);
    it->mean = dfl_alloc(ctx, (size_t)n, sizeof *it->mean);
    if (!it->a || !it->b || !it->form || !it->S || !it->field || !it->B || !it->rest ||
        !it->twist || !it->mean) {
        dfl_field_integrals_free(it);
        *out = NULL;
        return DFL_NO_MEMORY;
    }
    it->J1 = it->S + 3 * z;
    it->C0 = it->J1 + 6 * z;
    return DFL_OK;
}

void dfl_field_integrals_free(dfl_field_integrals *it)
{
    if (!it)
        return;
    void *const blocks[] = {it->a, it->b,    it->form,  it->S,   it->field,
                            it->B, it->rest, it->twist, it->mean};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(it->ctx, blocks[i]);
    dfl_free(it->ctx, it);
}

dfl_status dfl_field_inertia_create(field_inertia *f, dfl_context *ctx,
                                    const dfl_tree_elastic *body)
{
    const dfl_field_integrals *of = body->integrals;
    const size_t z = (size_t)of->nz, n = (size_t)of->n;
    const size_t count = (size_t)of->first[3];
    *f = (field_inertia){.of = of};
    f->start = dfl_alloc(ctx, z + 1, sizeof *f->start);
    f->rest = dfl_alloc(ctx, (size_t)of->nrest + n, sizeof *f->rest);
    if (!f->start || !f->rest)
        return DFL_NO_MEMORY;
    lay_out_rows(f);
    const size_t entries = (size_t)f->start[of->nz];
    f->at = dfl_alloc(ctx, entries, sizeof *f->at);
    double *at = f->store =
        dfl_alloc(ctx, z * (62 + 3 * n) + 5 * entries + 3 * count + count * count, sizeof *at);
    if (!at || !f->at)
        return DFL_NO_MEMORY;
    lay_out_rows(f);
    double **const arrays[] = {&f->S,  &f->J1,  &f->C0,  &f->z,  &f->zd,  &f->zdd,
                               &f->Jz, &f->Jzd, &f->C,   &f->Cd, &f->Cdd, &f->Mz,
                               &f->Qz, &f->wz,  &f->wzd, &f->cv, &f->rows};
    const size_t width[] = {3, 6, 3, 1, 1, 1, 6, 6, 3, 3, 3, 1, 1, 6, 6, 6, 3 * n + 6};
    for (size_t i = 0; i < sizeof width / sizeof *width; at += z * width[i++])
        *arrays[i] = at;
    for (int order = 0; order < 3; order++, at += entries)
        f->row[order] = at;
    f->sums = at;
    f->T = at += 2 * entries;
    f->B = at + 3 * count;
    set_units(f, body);
    return DFL_OK;
}

/* Where the numbers of all rows are; their places, once there is room for them. */
static void lay_out_rows(field_inertia *f)
{
    const dfl_field_integrals *of = f->of;
    int end = 0;
    for (int j = 0; j < of->nz; j++) {
        const int a = of->a[j], b = of->b[j];
        const int count = b == FIELD_FORM ? of->n : b == FIELD_LINEAR || a == b ? 1 : 2;
        for (int k = 0; k < count && f->at; k++)
            f->at[end + k] = b == FIELD_FORM ? k : k == 0 ? a : b;
        f->start[j] = end;
        end += count;
    }
    f->start[of->nz] = end;
}

void dfl_field_inertia_clear(field_inertia *f, dfl_context *ctx)
{
    dfl_free(ctx, f->store);
    dfl_free(ctx, f->start);
    dfl_free(ctx, f->at);
    dfl_free(ctx, f->rest);
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
    const int count = of->first[3];
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
    for (int c = 0; c < count; c++)
        for (int d = 0; d < count; d++)
            f->B[c * count + d] = mLL * dfl_field_unit(body, of->field[c]) *
                                  dfl_field_unit(body, of->field[d]) * of->B[c * count + d];
    for (int i = 0; i < of->nrest; i++) {
        f->rest[i] = of->rest[i];
        f->rest[i].value *=
            mLL * dfl_field_unit(body, of->rest[i].i) * dfl_field_unit(body, of->rest[i].j);
    }
    add_sections(f, body);
}

/* Sections turn about x with the body and with their twist. */
static void add_sections(field_inertia *f, const dfl_tree_elastic *body)
{
    const dfl_field_integrals *of = f->of;
    f->J0[0] += of->mass * body->rotary;
    for (int k = 0; k < of->n; k++) {
        const double inertia = of->twist[k] ? body->rotary : 0.0;
        f->C0[3 * k] += of->mean[k] * inertia;
        f->rest[of->nrest + k] = (dfl_field_product){k, k, inertia};
    }
}

/* ------------------------------------------------------------------ states */

void dfl_field_place(node_mass *out, field_inertia *f, const double *q)
{
    const dfl_field_integrals *of = f->of;
    set_rows(f, 0, q);
    for (int j = 0; j < of->nz; j++)
        f->z[j] = (of->b[j] == FIELD_LINEAR ? 1.0 : 0.5) * row_times(f, 0, j, q);
    sum_products(f, f->z);
    memset(f->Jz, 0, 6 * (size_t)of->nz * sizeof *f->Jz);
    add_inertias(f->Jz, f, 1.0);
    take_couplings(f->C, f);
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
    set_rows(f, 1, qd);
    set_rows(f, 2, qdd);
    for (int j = 0; j < of->nz; j++) {
        f->zd[j] = row_times(f, 0, j, qd);
        f->zdd[j] = row_times(f, 0, j, qdd) + row_times(f, 1, j, qd);
    }
    sum_products(f, f->zd);
    memset(f->Jzd, 0, 6 * (size_t)of->nz * sizeof *f->Jzd);
    add_inertias(f->Jzd, f, 2.0);
    take_couplings(f->Cd, f);
    sum_products(f, f->zdd);
    take_couplings(f->Cdd, f);
    take_masses(f->Mz, f, f->zdd);
}

/* Rows of dz/dq (order 0), or of the derivatives of z', z'' by q (orders 1, 2), at q, q' or q''. */
static void set_rows(field_inertia *f, int order, const double *x)
{
    const dfl_field_integrals *of = f->of;
    const int n = of->n;
    for (int j = 0; j < of->nz; j++) {
        const int a = of->a[j], b = of->b[j];
        double *row = f->row[order] + f->start[j];
        if (b == FIELD_LINEAR) {
            row[0] = order == 0;
        } else if (b >= 0) {
            row[0] = x[b];
            if (a != b)
                row[1] = x[a];
        } else {
            const double *F = of->form + n * n * a;
            for (int k = 0; k < n; k++) {
                row[k] = 0.0;
                for (int i = 0; i < n; i++)
                    row[k] += F[n * k + i] * x[i];
            }
        }
    }
}

static double row_times(const field_inertia *f, int order, int field, const double *x)
{
    double sum = 0.0;
    for (int e = f->start[field]; e < f->start[field + 1]; e++)
        sum += f->row[order][e] * x[f->at[e]];
    return sum;
}

/* T: of the components along each axis the sums B_cd x_c over those of the fields c, for all d. */
static void sum_products(field_inertia *f, const double *x)
{
    const dfl_field_integrals *of = f->of;
    const int count = of->first[3];
    memset(f->T, 0, 3 * (size_t)count * sizeof *f->T);
    for (int a = 0; a < 3; a++) {
        double *T = f->T + a * count;
        int c = of->first[a];
        for (; c + 3 < of->first[a + 1]; c += 4) {
            const double *B = f->B + c * count, *B1 = B + count, *B2 = B1 + count, *B3 = B2 + count;
            const double x0 = x[of->field[c]], x1 = x[of->field[c + 1]], x2 = x[of->field[c + 2]],
                         x3 = x[of->field[c + 3]];
            for (int d = 0; d < count; d++)
                T[d] += x0 * B[d] + x1 * B1[d] + x2 * B2[d] + x3 * B3[d];
        }
        for (; c < of->first[a + 1]; c++)
            for (int d = 0; d < count; d++)
                T[d] += x[of->field[c]] * f->B[c * count + d];
    }
}

/* J_j += factor J2_ij x_i */
static void add_inertias(double *J, const field_inertia *f, double factor)
{
    static const int mixed[3][3] = {{0, 3, 4}, {3, 0, 5}, {4, 5, 0}};
    const int count = f->of->first[3];
    for (int b = 0; b < 3; b++)
        for (int d = f->of->first[b]; d < f->of->first[b + 1]; d++) {
            double *to = J + 6 * f->of->field[d];
            for (int a = 0; a < 3; a++) {
                const double other = f->T[a * count + d];
                if (a != b) {
                    to[a] += factor * f->T[b * count + d];
                    to[mixed[a][b]] -= 0.5 * factor * other;
                }
            }
        }
}

/* C_j = C1_ij x_i */
static void take_couplings(double *C, const field_inertia *f)
{
    const int count = f->of->first[3];
    memset(C, 0, 3 * (size_t)f->of->nz * sizeof *C);
    for (int b = 0; b < 3; b++)
        for (int d = f->of->first[b]; d < f->of->first[b + 1]; d++) {
            const int next = (b + 1) % 3, last = (b + 2) % 3;
            double *to = C + 3 * f->of->field[d];
            to[next] += f->T[last * count + d];
            to[last] -= f->T[next * count + d];
        }
}

/* y_j = Me_ij x_i */
static void take_masses(double *y, const field_inertia *f, const double *x)
{
    const dfl_field_integrals *of = f->of;
    memset(y, 0, (size_t)of->nz * sizeof *y);
    for (int b = 0; b < 3; b++)
        for (int d = of->first[b]; d < of->first[b + 1]; d++)
            y[of->field[d]] += f->T[b * of->first[3] + d];
    for (int e = 0; e < of->nrest + of->n; e++) {
        const dfl_field_product p = f->rest[e];
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
    dfl_field_chain(y, f, x, width, 0, 1.0);
}

void dfl_field_chain(double *y, const field_inertia *f, const double *x, int width, int order,
                     double factor)
{
    for (int j = 0; j < f->of->nz; j++)
        for (int e = f->start[j]; e < f->start[j + 1]; e++) {
            const double value = factor * f->row[order][e];
            double *to = y + f->at[e] * width;
            for (int k = 0; k < width; k++)
                to[k] += value * x[j * width + k];
        }
}

/* Y (nz x n, by rows) = Me dz/dq, M = (dz/dq)^T Y. */
void dfl_field_mass(double *M, double *couplings, field_inertia *f)
{
    const dfl_field_integrals *of = f->of;
    const int n = of->n, count = of->first[3];
    double *Y = f->rows;
    memset(Y, 0, (size_t)(of->nz * n) * sizeof *Y);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    memset(couplings, 0, 6 * (size_t)n * sizeof *couplings);
    for (int a = 0; a < 3; a++)
        for (int d = of->first[a]; d < of->first[a + 1]; d++) {
            double *to = Y + of->field[d] * n;
            const double *B = f->B + d * count;
            for (int c = of->first[a]; c < of->first[a + 1]; c++)
                field_add_row(to, f, of->field[c], 0, B[c]);
        }
    for (int e = 0; e < of->nrest + n; e++) {
        const dfl_field_product p = f->rest[e];
        field_add_row(Y + p.j * n, f, p.i, 0, p.value);
        if (p.i != p.j)
            field_add_row(Y + p.i * n, f, p.j, 0, p.value);
    }
    dfl_field_back(M, f, Y, n);
    for (int j = 0; j < of->nz; j++)
        for (int e = f->start[j]; e < f->start[j + 1]; e++)
            for (int k = 0; k < 3; k++) {
                couplings[6 * f->at[e] + k] += f->row[0][e] * f->C[3 * j + k];
                couplings[6 * f->at[e] + 3 + k] += f->row[0][e] * f->S[3 * j + k];
            }
}
