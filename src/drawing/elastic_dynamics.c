/* elastic_dynamics.c: what an elastic body adds to the forces of inertia of a rigid one.

   With matrices J, h, C, S, M that are functions of q, in an inertial frame in which the origin
   rests at the moment:

       F = m a + alpha x h + om x (om x h)  +  S q'' + S' q' + 2 om x S q'
       N = J alpha + h x a + om x J om      +  C q'' + C' q' + J' om + om x C q'
       Q_k = C_k.alpha + S_k.a + M q''      +  C_k'.om + M_k' q' - d(T)/dq_k

   (an apostrophe on a matrix is its rate along q'; T = om.J om / 2 + om.C q' + q'.M q' / 2). Modes
   without inertia follow centrifugal forces and gravity; terms with their velocities and
   accelerations are left out. */
#include "drawing/drawing_internal.h"

#include "drawing/vectors.h"
#include "symbolic/symbolic.h"

static dfl_status rate_of_vectors(dfl_vec *out, dfl_drawing *drawing, const dfl_elastic *e,
                                  const dfl_expr *v, const dfl_vec *of);
static dfl_status modal_forces(dfl_expr *Q, dfl_drawing *drawing, const dfl_elastic *e,
                               const dfl_expr *v, const dfl_vec *C, dfl_sym J, dfl_vec omega);

/* From the point `at` of the body to the origin of its link: C + d x S. */
dfl_vec dfl_elastic_coupling(dfl_drawing *drawing, const dfl_elastic *e, int k)
{
    const int link = drawing->bodies[e->body].link;
    const dfl_vec d = vec_sub(drawing->graph, e->at, drawing->links[link].at);
    return vec_cross_add(drawing->graph, e->C[k], d, e->S[k]);
}

/* J about the origin of the link: J + 2 (d.h) 1 - d h^T - h d^T + m (d.d 1 - d d^T). */
static dfl_sym inertia_of(dfl_drawing *drawing, const dfl_elastic *e)
{
    dfl_graph *g = drawing->graph;
    const dfl_vec d = vec_sub(g, e->at, drawing->links[drawing->bodies[e->body].link].at);
    const dfl_vec far = vec_add(g, e->h, vec_scale(g, e->mass, d));
    dfl_sym J = e->J;
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++) {
            const int place = sym_place(i, k), a = (i + 1) % 3, b = (i + 2) % 3;
            dfl_expr part;
            if (i == k)
                part = dfl_add(g, dfl_mul(g, d.e[a], dfl_add(g, e->h.e[a], far.e[a])),
                               dfl_mul(g, d.e[b], dfl_add(g, e->h.e[b], far.e[b])));
            else
                part = dfl_neg(
                    g, dfl_add(g, dfl_mul(g, d.e[i], far.e[k]), dfl_mul(g, e->h.e[i], d.e[k])));
            J.e[place] = dfl_add(g, J.e[place], part);
        }
    if (drawing->planar)
        J = (dfl_sym){{0, 0, J.e[2], 0, 0, 0}};
    return J;
}

void dfl_elastic_add_mass(dfl_drawing *drawing, const dfl_elastic *e)
{
    dfl_graph *g = drawing->graph;
    dfl_link *link = &drawing->links[drawing->bodies[e->body].link];
    const dfl_vec d = vec_sub(g, e->at, link->at);
    link->mass = dfl_add(g, link->mass, e->mass);
    link->moment = vec_add(g, link->moment, vec_add(g, e->h, vec_scale(g, e->mass, d)));
    link->inertia = sym_add(g, link->inertia, inertia_of(drawing, e));
}

dfl_status dfl_elastic_load(dfl_vec *F, dfl_vec *N, dfl_expr *Q, dfl_drawing *drawing,
                            const dfl_elastic *e, dfl_vec omega, dfl_vec alpha, dfl_vec a)
{
    dfl_graph *g = drawing->graph;
    const dfl_sym J = inertia_of(drawing, e);
    dfl_vec C[DFL_MOST_MODES], Sd[DFL_MOST_MODES], Cd[DFL_MOST_MODES];
    dfl_vec Sq = vec_zero(), Cq = vec_zero();
    dfl_expr v[DFL_MOST_MODES];
    dfl_sym Jd;
    *F = *N = vec_zero();
    for (int k = 0; k < e->n; k++) {
        v[k] = e->massless[k] ? 0 : e->v[k];
        C[k] = dfl_elastic_coupling(drawing, e, k);
        Sq = vec_add(g, Sq, vec_scale(g, v[k], e->S[k]));
        Cq = vec_add(g, Cq, vec_scale(g, v[k], C[k]));
    }
    dfl_status status = rate_of_vectors(Sd, drawing, e, v, e->S);
    if (!status)
        status = rate_of_vectors(Cd, drawing, e, v, C);
    if (!status)
        status = dfl_along_exprs(Jd.e, g, J.e, 6, e->p, v, e->n);
    if (status)
        return status;
    *F = vec_cross_add(g, *F, vec_scale(g, dfl_constant(g, 2.0), omega), Sq);
    *N = vec_cross_add(g, sym_times(g, Jd, omega), omega, Cq);
    for (int k = 0; k < e->n; k++) {
        *F = vec_add(g, *F, vec_scale(g, v[k], Sd[k]));
        *N = vec_add(g, *N, vec_scale(g, v[k], Cd[k]));
        Q[k] = dfl_add(g, vec_dot(g, C[k], alpha), vec_dot(g, e->S[k], a));
        Q[k] = dfl_add(g, Q[k], vec_dot(g, Cd[k], omega));
    }
    return modal_forces(Q, drawing, e, v, C, J, omega);
}

dfl_status dfl_elastic_need(dfl_vec *F, dfl_vec *N, dfl_drawing *drawing, const dfl_elastic *e,
                            dfl_vec omega, dfl_vec alpha, dfl_vec a)
{
    dfl_graph *g = drawing->graph;
    const dfl_vec d = vec_sub(g, e->at, drawing->links[drawing->bodies[e->body].link].at);
    const dfl_vec h = vec_add(g, e->h, vec_scale(g, e->mass, d));
    const dfl_sym J = inertia_of(drawing, e);
    dfl_expr Q[DFL_MOST_MODES];
    const dfl_status status = dfl_elastic_load(F, N, Q, drawing, e, omega, alpha, a);
    if (status)
        return status;
    *F = vec_add(g, *F, vec_scale(g, e->mass, a));
    *F = vec_cross_add(g, *F, alpha, h);
    *F = vec_cross_add(g, *F, omega, vec_cross(g, omega, h));
    *N = vec_add(g, *N, sym_times(g, J, alpha));
    *N = vec_cross_add(g, *N, h, a);
    *N = vec_cross_add(g, *N, omega, sym_times(g, J, omega));
    for (int k = 0; k < e->n; k++) {
        if (e->massless[k])
            continue;
        const dfl_expr second = dfl_drawing_acceleration_symbol(drawing, e->v[k]);
        *F = vec_add(g, *F, vec_scale(g, second, e->S[k]));
        *N = vec_add(g, *N, vec_scale(g, second, dfl_elastic_coupling(drawing, e, k)));
    }
    return DFL_OK;
}

void dfl_elastic_momentum(dfl_vec *P, dfl_vec *L, dfl_drawing *drawing, const dfl_elastic *e,
                          dfl_vec omega, dfl_vec v)
{
    dfl_graph *g = drawing->graph;
    const dfl_vec d = vec_sub(g, e->at, drawing->links[drawing->bodies[e->body].link].at);
    const dfl_vec h = vec_add(g, e->h, vec_scale(g, e->mass, d));
    *P = vec_cross_add(g, vec_scale(g, e->mass, v), omega, h);
    *L = vec_cross_add(g, sym_times(g, inertia_of(drawing, e), omega), h, v);
    for (int k = 0; k < e->n; k++) {
        if (e->massless[k])
            continue;
        *P = vec_add(g, *P, vec_scale(g, e->v[k], e->S[k]));
        *L = vec_add(g, *L, vec_scale(g, e->v[k], dfl_elastic_coupling(drawing, e, k)));
    }
}

static dfl_status rate_of_vectors(dfl_vec *out, dfl_drawing *drawing, const dfl_elastic *e,
                                  const dfl_expr *v, const dfl_vec *of)
{
    dfl_status status = DFL_OK;
    for (int k = 0; k < e->n && !status; k++)
        status = dfl_along_exprs(out[k].e, drawing->graph, of[k].e, 3, e->p, v, e->n);
    return status;
}

/* Q_k += M_kl' v_l - om.J_k om / 2 - om.C_l,k v_l - v_i M_il,k v_l / 2 */
static dfl_status modal_forces(dfl_expr *Q, dfl_drawing *drawing, const dfl_elastic *e,
                               const dfl_expr *v, const dfl_vec *C, dfl_sym J, dfl_vec omega)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr half = dfl_constant(g, 0.5), one = dfl_constant(g, 1.0);
    const int n = e->n;
    dfl_status status = DFL_OK;
    for (int k = 0; k < n && !status; k++) {
        dfl_sym Jk;
        status = dfl_along_exprs(Jk.e, g, J.e, 6, &e->p[k], &one, 1);
        if (status)
            return status;
        const dfl_expr spin = vec_dot(g, omega, sym_times(g, Jk, omega));
        Q[k] = dfl_sub(g, Q[k], dfl_mul(g, half, spin));
        for (int l = 0; l < n && !status; l++) {
            dfl_vec Ck;
            dfl_expr rate;
            status = dfl_along_exprs(Ck.e, g, C[l].e, 3, &e->p[k], &one, 1);
            if (!status)
                status = dfl_along_exprs(&rate, g, &e->M[k + n * l], 1, e->p, v, n);
            if (status)
                return status;
            Q[k] = dfl_add(g, Q[k], dfl_mul(g, dfl_sub(g, rate, vec_dot(g, omega, Ck)), v[l]));
            for (int i = 0; i <= l && !status; i++) {
                dfl_expr slope;
                status = dfl_along_exprs(&slope, g, &e->M[i + n * l], 1, &e->p[k], &one, 1);
                const dfl_expr twice = i == l ? half : one;
                if (!status)
                    Q[k] = dfl_sub(g, Q[k],
                                   dfl_mul(g, dfl_mul(g, twice, slope), dfl_mul(g, v[i], v[l])));
            }
        }
    }
    return status;
}
