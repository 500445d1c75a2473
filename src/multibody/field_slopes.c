/* field_slopes.c: derivatives of the forces of one elastic body. With the letters of
   field_inertia.h, along amplitudes and their rates

       d(N; F)/dz_j   = (Jzd_j om - om x Cd_j - Cdd_j; 0) + I_j A + V x* I_j V,
                        I_j: h = S_j, J = Jz_j
       d(N; F)/dz_j'  = (Jz_j om + om x C_j; 2 om x S_j)
       d(N; F)/dz_j'' = (C_j; S_j)
       dQz_j/dV       = (2 Cd_j - Jz_j om + v x S_j; S_j x om)
       dQz_j/dA       = (C_j; S_j)
       dQz_j/dz_i     = C1_ij.alpha - om.J2_ij om
       dQz_j/dz_i'    = 2 om.C1_ij
       dQz_j/dz_i''   = Me_ij

   where the second part of the first row is that of the rigid body with the present shape. */
#include "multibody/field_inertia.h"

#include <string.h>

static void slopes_along_fields(field_inertia *f);
static void slopes_by_motion(double *W, const field_inertia *f);
static void slopes_of_forces(field_slopes *out, field_inertia *f);
static void add_products(double *Yq, double *Yv, double *Ym, field_inertia *f, int a, int b);

void dfl_field_slopes(field_slopes *out, field_inertia *f)
{
    const int n = f->of->n, nz = f->of->nz;
    const size_t size = 6 * (size_t)n * sizeof(double);
    double *both = f->rows; /* (C_j; S_j) */
    slopes_along_fields(f);
    slopes_by_motion(out->W, f);
    for (int j = 0; j < nz; j++)
        for (int k = 0; k < 3; k++) {
            both[6 * j + k] = f->C[3 * j + k];
            both[6 * j + 3 + k] = f->S[3 * j + k];
        }
    for (int i = 0; i < 4; i++)
        memset(out->t[i], 0, size);
    dfl_field_chain(out->t[0], f, f->wzd, 6, 0, 1.0);
    dfl_field_chain(out->t[0], f, both, 6, 1, 2.0);
    dfl_field_chain(out->t[1], f, f->cv, 6, 0, 1.0);
    dfl_field_chain(out->t[2], f, both, 6, 0, 1.0);
    dfl_field_chain(out->t[3], f, f->wz, 6, 0, 1.0);
    dfl_field_chain(out->t[3], f, f->wzd, 6, 1, 1.0);
    dfl_field_chain(out->t[3], f, both, 6, 2, 1.0);
    for (int k = 0; k < n; k++) { /* accelerations there are A + V x (change of V) */
        double turned[6];
        cross_force(turned, f->V, out->t[2] + 6 * k);
        for (int i = 0; i < 6; i++)
            out->t[1][6 * k + i] += turned[i];
    }
    slopes_of_forces(out, f);
}

static void slopes_along_fields(field_inertia *f)
{
    const double *om = f->V, *v = f->V + 3;
    const int nz = f->of->nz;
    for (int j = 0; j < nz; j++) {
        const double *C = f->C + 3 * j, *S = f->S + 3 * j, *Jz = f->Jz + 6 * j;
        double *wz = f->wz + 6 * j, *wzd = f->wzd + 6 * j, *cv = f->cv + 6 * j;
        double momentum[6], turned[6], Jom[3], part[3];
        rigid_times(wz, 0.0, S, Jz, f->A);
        rigid_times(momentum, 0.0, S, Jz, f->V);
        cross_force(turned, f->V, momentum);
        symmetric_times(part, f->Jzd + 6 * j, om);
        symmetric_times(Jom, Jz, om);
        cross_add(part, f->Cd + 3 * j, om);
        for (int k = 0; k < 6; k++)
            wz[k] += turned[k] + (k < 3 ? part[k] - f->Cdd[3 * j + k] : 0.0);
        for (int k = 0; k < 3; k++) {
            wzd[k] = Jom[k];
            cv[k] = 2.0 * f->Cd[3 * j + k] - Jom[k];
        }
        cross_add(wzd, om, C);
        cross(wzd + 3, om, S);
        cross_add(wzd + 3, om, S);
        cross_add(cv, v, S);
        cross(cv + 3, S, om);
    }
}

/* d(N; F)/d om = Jd - [C_j z_j']x, -2 [S_j z_j']x by columns; nothing depends on v. */
static void slopes_by_motion(double *W, const field_inertia *f)
{
    double J[6] = {0}, C[3] = {0}, S[3] = {0};
    for (int j = 0; j < f->of->nz; j++) {
        for (int k = 0; k < 6; k++)
            J[k] += f->Jz[6 * j + k] * f->zd[j];
        for (int k = 0; k < 3; k++) {
            C[k] += f->C[3 * j + k] * f->zd[j];
            S[k] += 2.0 * f->S[3 * j + k] * f->zd[j];
        }
    }
    memset(W, 0, 36 * sizeof *W);
    for (int c = 0; c < 3; c++) {
        double unit[3] = {0}, N[3], F[3];
        unit[c] = 1.0;
        symmetric_times(N, J, unit);
        cross_add(N, unit, C);
        cross(F, unit, S);
        for (int k = 0; k < 3; k++) {
            W[6 * k + c] = N[k];
            W[6 * (3 + k) + c] = F[k];
        }
    }
}

/* Rows of dQz/dq, dQz/dq', dQz/dq'' (nz x n each), then all by (dz/dq)^T. The matrices by rows are
   Qq^T in columns: transposed at the end. */
static void slopes_of_forces(field_slopes *out, field_inertia *f)
{
    const int n = f->of->n, nz = f->of->nz;
    double *Yq = f->rows, *Yv = Yq + nz * n, *Ym = Yv + nz * n;
    memset(Yq, 0, 3 * (size_t)(nz * n) * sizeof *Yq);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            add_products(Yq, Yv, Ym, f, a, b);
    for (int e = 0; e < f->of->nrest + n; e++)
        for (int side = 0; side < (f->rest[e].i == f->rest[e].j ? 1 : 2); side++) {
            const dfl_field_product p = f->rest[e];
            const int j = side ? p.i : p.j, i = side ? p.j : p.i;
            field_add_row(Yq + j * n, f, i, 2, p.value);
            field_add_row(Yv + j * n, f, i, 1, 2.0 * p.value);
            field_add_row(Ym + j * n, f, i, 0, p.value);
        }
    double *const to[] = {out->Qq, out->Qv, out->M};
    for (int m = 0; m < 3; m++) {
        memset(to[m], 0, (size_t)(n * n) * sizeof(double));
        dfl_field_back(to[m], f, Yq + m * nz * n, n);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < i; k++) {
                const double lower = to[m][i + n * k];
                to[m][i + n * k] = to[m][k + n * i];
                to[m][k + n * i] = lower;
            }
    }
}

/* What components c along a do to d along b: a displacement x of a point along a needs there the
   acceleration om_a om_b x - om^2 x + (alpha x e_a)_b x + 2 (om x e_a)_b x' + x'' along b. */
static void add_products(double *Yq, double *Yv, double *Ym, field_inertia *f, int a, int b)
{
    const dfl_field_integrals *of = f->of;
    const int n = of->n, nz = of->nz, count = of->first[3], c = a == b ? a : 3 - a - b;
    const double *om = f->V, *alpha = f->A, *const *row = (const double *const *)f->row;
    const double second = a == b, sign = a == b ? 0.0 : (b - a + 3) % 3 == 1 ? 1.0 : -1.0;
    const double place = om[a] * om[b] - second * dot(om, om) + sign * alpha[c];
    const double rate = 2.0 * sign * om[c];
    double *byq = f->sums, *byv = byq + f->start[nz];
    for (int e = 0; e < f->start[nz]; e++) {
        byq[e] = place * row[0][e] + rate * row[1][e] + second * row[2][e];
        byv[e] = rate * row[0][e] + 2.0 * second * row[1][e];
    }
    for (int d = of->first[b]; d < of->first[b + 1]; d++) {
        const int j = of->field[d];
        const double *B = f->B + d * count;
        for (int i = of->first[a]; i < of->first[a + 1]; i++)
            for (int e = f->start[of->field[i]]; e < f->start[of->field[i] + 1]; e++) {
                const int k = j * n + f->at[e];
                Yq[k] += B[i] * byq[e];
                Yv[k] += B[i] * byv[e];
                if (a == b)
                    Ym[k] += B[i] * row[0][e];
            }
    }
}

void dfl_field_bend(double *Qq, const field_inertia *f, const double *Qz)
{
    const int n = f->of->n;
    for (int j = 0; j < f->of->nz; j++) {
        const int a = f->of->a[j], b = f->of->b[j];
        const double *F = f->of->form + n * n * a;
        for (int i = 0; i < n * n && b == FIELD_FORM; i++)
            Qq[i] += F[i] * Qz[j];
        if (b < 0)
            continue;
        Qq[a + n * b] += Qz[j];
        if (a != b)
            Qq[b + n * a] += Qz[j];
    }
}
