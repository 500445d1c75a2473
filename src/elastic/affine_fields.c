/* affine_fields.c: displacements of second order as sums of affine fields, so that masses stay
   positive.

   Of Phi2_ij the integrals T_ad = int r_a Phi2_d are known (r_0 = 1, r_1 r_2 r_3 = x y z), which
   are all that equations of second order need. With these alone masses would be those of no motion:
   where they are left by modes that are nearly motions of a rigid body they become negative. The
   affine field sum_a r_a c_ad e_d with the same integrals,

       M4 c = T      M4_ab = int r_a r_b,

   is the projection of Phi2_ij; its products with all fields follow from their own T. */
#include "elastic/elastic.h"

#include <math.h>
#include <string.h>

enum { PLACES = 4 };

typedef double moments[PLACES][3]; /* T_ad of a field */

static void place_moments(double M4[PLACES * PLACES], const dfl_sid *sid);
static void mode_moments(moments T, const dfl_sid *sid, int mode);
static void set_form(dfl_modal_body *body, const dfl_sid *sid, int form, int field);
static void set_field(dfl_modal_body *body, int j, moments T);
static void set_products(dfl_modal_body *body, int i, int j, int affine, moments T);

/* About the centre of mass: P c_a = T_a - s_a T_0 / m, then c_0 = (T_0 - s_a c_a) / m. */
dfl_status dfl_affine_shares(dfl_sid *sid, dfl_context *ctx, const double *integrals)
{
    double M4[PLACES * PLACES], P[9], X[9], w[3], one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int pairs = sid->n * (sid->n + 1) / 2;
    const double m = sid->mass, *s = sid->moment;
    place_moments(M4, sid);
    for (int ab = 0; ab < 9; ab++)
        P[ab] = M4[5 + ab % 3 + PLACES * (ab / 3)] - s[ab % 3] * s[ab / 3] / m;
    const dfl_status status = dfl_symmetric_modes(w, X, ctx, 3, P, one);
    if (status)
        return status;
    memset(sid->share, 0, sizeof sid->share);
    for (int d = 0; d < 3; d++)
        for (int pair = 0; pair < pairs; pair++) {
            const double *T = integrals + d * DFL_MOST_PAIRS + pair;
            double *c = sid->share + d * DFL_MOST_PAIRS + pair;
            *c = *T / m;
            for (int k = 0; k < 3; k++) {
                double along = 0.0; /* lines and planes have no mass beside them */
                for (int a = 0; a < 3 && w[k] > 1e-10 * w[2]; a++)
                    along +=
                        X[a + 3 * k] * (T[3 * (1 + a) * DFL_MOST_PAIRS] - s[a] * *T / m) / w[k];
                for (int a = 0; a < 3; a++) {
                    c[3 * (1 + a) * DFL_MOST_PAIRS] += X[a + 3 * k] * along;
                    *c -= s[a] * X[a + 3 * k] * along / m;
                }
            }
        }
    sid->affine = true;
    return DFL_OK;
}

/* m, s and int r_a r_b = tr J / 2 - J_ab */
static void place_moments(double M4[PLACES * PLACES], const dfl_sid *sid)
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const double *J = sid->inertia, half = 0.5 * (J[0] + J[1] + J[2]);
    M4[0] = sid->mass;
    for (int a = 0; a < 3; a++) {
        M4[1 + a] = M4[PLACES * (1 + a)] = sid->moment[a];
        for (int b = 0; b < 3; b++)
            M4[1 + a + PLACES * (1 + b)] = (a == b ? half : 0.0) - J[place[a][b]];
    }
}

int dfl_affine_list(int which[DFL_AFFINE_FIELDS], const dfl_sid *sid)
{
    double M4[PLACES * PLACES], size[DFL_AFFINE_FIELDS] = {0}, most = 0.0;
    int count = 0;
    place_moments(M4, sid);
    for (int f = 0; f < DFL_AFFINE_FIELDS && sid->affine; f++) {
        for (int pair = 0; pair < sid->n * (sid->n + 1) / 2; pair++)
            size[f] = fmax(size[f], fabs(sid->share[f * DFL_MOST_PAIRS + pair]));
        size[f] *= sqrt(fmax(0.0, M4[5 * (f / 3)]));
        most = fmax(most, size[f]);
    }
    for (int f = 0; f < DFL_AFFINE_FIELDS; f++)
        if (size[f] > 1e-12 * most)
            which[count++] = f;
    return count;
}

dfl_status dfl_affine_add(dfl_modal_body *body, const dfl_sid *sid, const int *which, int count)
{
    const int n = body->n, first = body->nz - count;
    double M4[PLACES * PLACES];
    body->form = dfl_alloc(body->ctx, (size_t)(n * n * count), sizeof *body->form);
    if (!body->form)
        return DFL_NO_MEMORY;
    place_moments(M4, sid);
    for (int k = 0; k < count; k++) {
        const int f = which[k], j = first + k;
        moments T = {{0}};
        for (int a = 0; a < PLACES; a++)
            T[a][f % 3] = M4[a + PLACES * (f / 3)];
        body->amplitude[j] = (dfl_amplitude){body->nforms, DFL_FORM};
        set_form(body, sid, body->nforms++, f);
        set_field(body, j, T);
        for (int i = first; i < body->nz; i++) /* T of field j, field i as the affine one */
            set_products(body, i, j, which[i - first], T);
        for (int i = 0; i < n; i++) {
            mode_moments(T, sid, i);
            set_products(body, j, i, f, T);
        }
    }
    return DFL_OK;
}

static void set_form(dfl_modal_body *body, const dfl_sid *sid, int form, int field)
{
    const int n = body->n;
    const double *share = sid->share + field * DFL_MOST_PAIRS;
    double *F = body->form + n * n * form, most = 0.0;
    for (int pair = 0; pair < n * (n + 1) / 2; pair++)
        most = fmax(most, fabs(share[pair]));
    for (int i = 0; i < n; i++)
        for (int k = i; k < n; k++) {
            const double x = share[dfl_mode_pair(n, i, k)];
            F[i + n * k] = F[k + n * i] = fabs(x) < 1e-13 * most ? 0.0 : x;
        }
}

/* A = int r Phi^T from C0 = e:A and J1 = 2 tr A 1 - A - A^T, of which the trace is 4 tr A */
static void mode_moments(moments T, const dfl_sid *sid, int i)
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const int n = sid->n;
    const double *J1 = sid->J1, trace = 0.25 * (J1[i] + J1[n + i] + J1[2 * n + i]);
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        T[0][a] = sid->S[a * n + i];
        T[1 + a][a] = trace - 0.5 * J1[a * n + i];
        T[1 + b][c] = 0.5 * (sid->C0[a * n + i] - J1[place[b][c] * n + i]);
        T[1 + c][b] = 0.5 * (-sid->C0[a * n + i] - J1[place[b][c] * n + i]);
    }
}

/* S, C0, J1 */
static void set_field(dfl_modal_body *body, int j, moments T)
{
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        body->S[3 * j + a] = T[0][a];
        body->C0[3 * j + a] = T[1 + b][c] - T[1 + c][b];
        body->J1[6 * j + a] = 2.0 * (T[1 + b][b] + T[1 + c][c]);
    }
    body->J1[6 * j + 3] = -T[1][1] - T[2][0];
    body->J1[6 * j + 4] = -T[1][2] - T[3][0];
    body->J1[6 * j + 5] = -T[2][2] - T[3][1];
}

/* B_cd = int Phi_ic Phi_jd = T_ad of j in row c of the affine field r_a e_c; J2 = tr B 1 - sym B,
   C1 = e:B */
static void set_products(dfl_modal_body *body, int i, int j, int affine, moments T)
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const int ij = i + body->nz * j, ji = j + body->nz * i, c = affine % 3;
    const double *B = T[affine / 3];
    double J[6] = {0}, C[3] = {0};
    J[0] = J[1] = J[2] = B[c];
    for (int d = 0; d < 3; d++) {
        J[place[c][d]] -= c == d ? B[d] : 0.5 * B[d];
        if (d != c)
            C[3 - c - d] = (c + 1) % 3 == d ? B[d] : -B[d];
    }
    body->Me[ij] = body->Me[ji] = B[c];
    for (int k = 0; k < 6; k++)
        body->J2[6 * ij + k] = body->J2[6 * ji + k] = J[k];
    for (int k = 0; k < 3; k++) {
        body->C1[3 * ij + k] = C[k];
        body->C1[3 * ji + k] = -C[k];
    }
}
