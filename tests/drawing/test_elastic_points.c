/* Elastic bodies are bodies of mass points that move with their modes: masses and forces of random
   trees, against sums over the points with positions that are differentiated numerically. */
#include "scripted.h"

#include <complex.h>
#include <math.h>

typedef long double complex number;
typedef struct vector {
    number e[3];
} vector;
typedef struct pose { /* X -> R X + t, of points of the drawing */
    number R[9];
    vector t;
} pose;

enum { POINTS = 9, MOST_MODES = 4, MOST_PARTS = 12, MOST_COORDINATES = 30 };

/* A part of a tree: a point mass (n = 0) or an elastic body, behind a joint. */
typedef struct part {
    int n, parent; /* parent: -1 is the ground; a joint holds it at its node 1 */
    bool slides, massless;
    int q, elastic; /* places of its coordinates */
    double axis[3], at[3], corner[3];
    double m[POINTS], r[POINTS][3], phi[POINTS][3][MOST_MODES];
    double node[2][3], shift[2][3][MOST_MODES], turn[2][3][MOST_MODES];
    double K[MOST_MODES][MOST_MODES];
} part;

typedef struct tree {
    int count, n;
    part p[MOST_PARTS];
    pose outer[MOST_PARTS]; /* of node 1, which children hang on */
    pose body[MOST_PARTS];
} tree;

static unsigned long seed;
static double any(void)
{
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(seed >> 11) / 9007199254740992.0 * 2.0 - 1.0;
}

/* ------------------------------------------------------------------ motion */

static vector moved(const pose *a, vector x)
{
    vector y = a->t;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            y.e[i] += a->R[3 * i + k] * x.e[k];
    return y;
}

static pose after(const pose *a, const pose *b)
{
    pose c = {.t = moved(a, b->t)};
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++)
            c.R[i] += a->R[i / 3 * 3 + k] * b->R[3 * k + i % 3];
    return c;
}

static pose inverse(const pose *a)
{
    pose b = {.t = {{0}}};
    for (int i = 0; i < 9; i++)
        b.R[i] = a->R[i % 3 * 3 + i / 3];
    const vector t = moved(&b, a->t);
    for (int i = 0; i < 3; i++)
        b.t.e[i] = -t.e[i];
    return b;
}

/* A turn about an axis through a point, then a shift. */
static pose turned(const double axis[3], number angle, const double at[3], vector shift)
{
    const number c = ccosl(angle), s = csinl(angle);
    const double x = axis[0], y = axis[1], z = axis[2];
    pose a = {.R = {c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s,
                    x * y * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s,
                    x * z * (1 - c) - y * s, y * z * (1 - c) + x * s, c + z * z * (1 - c)}};
    const vector p = {{at[0], at[1], at[2]}};
    const vector back = moved(&a, p);
    for (int i = 0; i < 3; i++)
        a.t.e[i] = p.e[i] - back.e[i] + shift.e[i];
    return a;
}

static vector sum_of_modes(const part *b, const double field[3][MOST_MODES], const number *q)
{
    vector u = {{0}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < b->n; k++)
            u.e[i] += field[i][k] * q[k];
    return u;
}

/* Of a node relative to the undeformed body: turns about z, y, x. */
static pose node_pose(const part *b, int node, const number *q)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const vector none = {{0}}, turn = sum_of_modes(b, b->turn[node], q);
    double at[3];
    for (int i = 0; i < 3; i++)
        at[i] = b->corner[i] + b->node[node][i];
    pose all = turned(axes[2], turn.e[2], at, sum_of_modes(b, b->shift[node], q));
    for (int i = 1; i >= 0; i--) {
        const pose next = turned(axes[i], turn.e[i], at, none);
        all = after(&all, &next);
    }
    return all;
}

static void move(tree *t, const number *q)
{
    static const double none[3] = {0};
    for (int i = 0; i < t->count; i++) {
        part *b = &t->p[i];
        vector along = {{0}};
        for (int k = 0; k < 3; k++)
            along.e[k] = b->slides ? b->axis[k] * q[b->q] : 0;
        pose joint = turned(b->axis, b->slides ? 0 : q[b->q], b->at, along);
        if (b->parent >= 0)
            joint = after(&t->outer[b->parent], &joint);
        const pose inner =
            b->n ? node_pose(b, 0, q + b->elastic) : turned(none, 0, none, (vector){{0}});
        const pose back = inverse(&inner);
        t->body[i] = after(&joint, &back);
        const pose node = b->n ? node_pose(b, 1, q + b->elastic) : inner;
        t->outer[i] = after(&t->body[i], &node);
    }
}

static int positions(vector *x, double *m, tree *t, const number *q)
{
    int count = 0;
    move(t, q);
    for (int i = 0; i < t->count; i++) {
        const part *b = &t->p[i];
        for (int k = 0; k < (b->n ? POINTS : 1); k++) {
            vector r = sum_of_modes(b, b->phi[k], q + b->elastic);
            for (int a = 0; a < 3; a++)
                r.e[a] += b->corner[a] + b->r[k][a];
            m[count] = b->massless ? 0.0 : b->m[k];
            x[count++] = moved(&t->body[i], r);
        }
    }
    return count;
}

/* d/ds of the positions at q + s v, exact: a complex step. */
static int velocities(vector *u, double *m, tree *t, const double *q, const double *v,
                      long double s)
{
    const long double h = 1e-40L;
    number at[MOST_COORDINATES];
    for (int i = 0; i < t->n; i++)
        at[i] = q[i] + s * v[i] + I * h * v[i];
    const int count = positions(u, m, t, at);
    for (int i = 0; i < count; i++)
        for (int a = 0; a < 3; a++)
            u[i].e[a] = cimagl(u[i].e[a]) / h;
    return count;
}

/* M = sum m J^T J, f = -K q - sum m J^T J' v */
static void sums(double *M, double *f, tree *t, const double *q, const double *v)
{
    enum { MOST = MOST_PARTS * POINTS };
    static vector J[MOST_COORDINATES][MOST], a[4][MOST];
    static const long double weight[4] = {1.0L / 12, -8.0L / 12, 8.0L / 12, -1.0L / 12};
    static const int place[4] = {-2, -1, 1, 2};
    const long double h = 1e-4L;
    double m[MOST];
    int count = 0;
    for (int i = 0; i < t->n; i++) {
        double unit[MOST_COORDINATES] = {0};
        unit[i] = 1.0;
        count = velocities(J[i], m, t, q, unit, 0);
    }
    for (int k = 0; k < 4; k++)
        velocities(a[k], m, t, q, v, h * place[k]);
    for (int i = 0; i < t->n; i++) {
        long double force = 0;
        for (int k = 0; k < t->n; k++) {
            long double mass = 0;
            for (int p = 0; p < count; p++)
                for (int c = 0; c < 3; c++)
                    mass += m[p] * creall(J[i][p].e[c] * J[k][p].e[c]);
            M[i + t->n * k] = (double)mass;
        }
        for (int p = 0; p < count; p++)
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 4; k++)
                    force -= m[p] * weight[k] / h * creall(J[i][p].e[c] * a[k][p].e[c]);
        f[i] = (double)force;
    }
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < t->p[i].n; k++)
            for (int l = 0; l < t->p[i].n; l++)
                f[t->p[i].elastic + k] -= t->p[i].K[k][l] * q[t->p[i].elastic + l];
}

/* ------------------------------------------------------------------ scripts */

static void write_list(dfl_text *out, const char *name, const double *x, int rows, int columns)
{
    dfl_text_add(out, name[0] ? "%s = {" : "%s{", name);
    for (int i = 0; i < rows; i++) {
        dfl_text_add(out, rows > 1 ? "{" : "");
        for (int k = 0; k < columns; k++)
            dfl_text_add(out, "%.17g,", x[i * columns + k]);
        dfl_text_add(out, rows > 1 ? "}," : "");
    }
    dfl_text_add(out, "},\n");
}

static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

/* x.y 1 - (x y^T + y x^T) / 2 */
static double inertia(const double x[3], const double y[3], int k)
{
    const int a = pairs[k][0], b = pairs[k][1];
    const double dot = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    return (a == b ? dot : 0.0) - 0.5 * (x[a] * y[b] + x[b] * y[a]);
}

static double cross(const double x[3], const double y[3], int a)
{
    return x[(a + 1) % 3] * y[(a + 2) % 3] - x[(a + 2) % 3] * y[(a + 1) % 3];
}

static void mode(double out[3], const part *b, int point, int k)
{
    for (int a = 0; a < 3; a++)
        out[a] = b->phi[point][a][k];
}

static void write_table(dfl_text *out, const part *b)
{
    const int n = b->n;
    double mass = 0, moment[3] = {0}, J0[6] = {0}, S[3 * MOST_MODES] = {0},
           C0[3 * MOST_MODES] = {0};
    double J1[6 * MOST_MODES] = {0}, J2[6][MOST_MODES * MOST_MODES] = {{0}};
    double C1[3][MOST_MODES * MOST_MODES] = {{0}}, Me[MOST_MODES * MOST_MODES] = {0};
    for (int p = 0; p < POINTS; p++) {
        const double m = b->m[p], *r = b->r[p];
        mass += m;
        for (int a = 0; a < 6; a++)
            J0[a] += m * inertia(r, r, a);
        for (int a = 0; a < 3; a++)
            moment[a] += m * r[a];
        for (int i = 0; i < n; i++) {
            double x[3], y[3];
            mode(x, b, p, i);
            for (int a = 0; a < 6; a++)
                J1[a * n + i] += 2 * m * inertia(r, x, a);
            for (int a = 0; a < 3; a++) {
                S[a * n + i] += m * x[a];
                C0[a * n + i] += m * cross(r, x, a);
            }
            for (int k = 0; k < n; k++) {
                mode(y, b, p, k);
                Me[i * n + k] += m * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
                for (int a = 0; a < 6; a++)
                    J2[a][i * n + k] += m * inertia(x, y, a);
                for (int a = 0; a < 3; a++)
                    C1[a][i * n + k] += m * cross(x, y, a);
            }
        }
    }
    dfl_text_add(out, "modes = { mass = %.17g,\n", mass);
    write_list(out, "moment", moment, 1, 3);
    write_list(out, "inertia", J0, 1, 6);
    write_list(out, "S", S, 3, n);
    write_list(out, "C0", C0, 3, n);
    write_list(out, "J1", J1, 6, n);
    write_list(out, "Me", Me, n, n);
    double K[MOST_MODES * MOST_MODES];
    for (int i = 0; i < n * n; i++)
        K[i] = b->K[i / n][i % n];
    write_list(out, "K", K, n, n);
    dfl_text_add(out, "J2 = {");
    for (int a = 0; a < 6; a++)
        write_list(out, "", J2[a], n, n);
    dfl_text_add(out, "}, C1 = {");
    for (int a = 0; a < 3; a++)
        write_list(out, "", C1[a], n, n);
    dfl_text_add(out, "} },\n");
}

static void write_nodes(dfl_text *out, const part *b)
{
    dfl_text_add(out, "nodes = {");
    for (int k = 0; k < 2; k++) {
        double shift[3 * MOST_MODES], turn[3 * MOST_MODES];
        for (int i = 0; i < 3 * b->n; i++) {
            shift[i] = b->shift[k][i / b->n][i % b->n];
            turn[i] = b->turn[k][i / b->n][i % b->n];
        }
        dfl_text_add(out, "%c = {", 'a' + k);
        write_list(out, "at", b->node[k], 1, 3);
        write_list(out, "phi", shift, 3, b->n);
        write_list(out, "psi", turn, 3, b->n);
        dfl_text_add(out, "},");
    }
    dfl_text_add(out, "} })\n");
}

static void write_tree(dfl_text *out, const tree *t)
{
    dfl_text_add(out, "local b, j = {}, {}\n");
    for (int i = 0; i < t->count; i++) {
        const part *b = &t->p[i];
        double com[3];
        for (int a = 0; a < 3; a++)
            com[a] = b->corner[a] + b->r[0][a];
        if (b->n) {
            dfl_text_add(out, "b[%d] = elastic('b%d', { ", i, i);
            write_list(out, "at", b->corner, 1, 3);
            write_table(out, b);
            write_nodes(out, b);
        } else if (b->massless) {
            dfl_text_add(out, "b[%d] = body('b%d', {})\n", i, i);
        } else {
            dfl_text_add(out, "b[%d] = body('b%d', { mass = %.17g,", i, i, b->m[0]);
            write_list(out, "com", com, 1, 3);
            dfl_text_add(out, "})\n");
        }
        dfl_text_add(out, "j[%d] = %s('j%d', ", i, b->slides ? "prismatic" : "revolute", i);
        if (b->parent < 0)
            dfl_text_add(out, "ground");
        else
            dfl_text_add(out, t->p[b->parent].n ? "b[%d].b" : "b[%d]", b->parent);
        dfl_text_add(out, b->n ? ", b[%d].a, {" : ", b[%d], {", i);
        write_list(out, "at", b->at, 1, 3);
        write_list(out, "axis", b->axis, 1, 3);
        dfl_text_add(out, "})\n");
        if (b->massless)
            dfl_text_add(out, "torsion('t%d', j[%d], { damping = 1 })\n", i, i);
    }
}

/* ------------------------------------------------------------------ trees */

static void fill(double *x, int count, double size)
{
    for (int i = 0; i < count; i++)
        x[i] = size * any();
}

static void choose_modes(part *b)
{
    for (int p = 0; p < POINTS; p++)
        for (int a = 0; a < 3; a++)
            fill(b->phi[p][a], b->n, 1.0);
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 3; a++) {
            fill(b->shift[k][a], b->n, 0.5);
            fill(b->turn[k][a], b->n, 0.5);
        }
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k <= i; k++)
            b->K[i][k] = b->K[k][i] = any() + (i == k ? 5.0 : 0.0);
}

/* Six carriers give the first elastic body every motion; massless leaves are the last ones. */
static void choose_tree(tree *t, int carriers, int elastics, int modes, int leaves)
{
    *t = (tree){.count = carriers + elastics + leaves};
    for (int i = 0; i < t->count; i++) {
        part *b = &t->p[i];
        b->massless = i >= carriers + elastics;
        b->n = i >= carriers && !b->massless ? modes : 0;
        b->parent = i <= carriers ? i - 1 : (int)((double)(i + 1) * (any() + 1) / 2) - 1;
        if (b->massless)
            b->parent = i - leaves; /* each on an elastic body of its own */
        b->slides = i < carriers / 2;
        fill(b->axis, 3, 1.0);
        const double size = hypot(hypot(b->axis[0], b->axis[1]), b->axis[2]);
        for (int a = 0; a < 3; a++)
            b->axis[a] /= size;
        fill(b->corner, 3, 1.0);
        for (int p = 0; p < POINTS; p++) {
            fill(b->r[p], 3, 1.0);
            b->m[p] = 1.5 + any();
        }
        fill(b->node[0], 6, 1.0);
        choose_modes(b);
        const part *on = b->parent >= 0 ? &t->p[b->parent] : NULL;
        for (int a = 0; a < 3 && on && on->n; a++) /* its joint is at node b of the parent ... */
            b->at[a] = on->corner[a] + on->node[1][a];
        for (int a = 0; a < 3 && b->n; a++) { /* ... and at its own node a */
            if (!on || !on->n)
                b->at[a] = b->corner[a] + b->node[0][a];
            b->corner[a] = b->at[a] - b->node[0][a];
        }
        b->q = t->n++;
        b->elastic = t->n;
        t->n += b->n;
    }
}

/* Where coordinates of the tree are in the unknowns of the model. */
static void find_places(int *p, int *v, const scripted *s, const tree *t)
{
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k <= t->p[i].n; k++) {
            char name[40], rate[50];
            if (k == 0)
                snprintf(name, sizeof name, "j%d.q", i);
            else
                snprintf(name, sizeof name, "b%d.q%d", i, k);
            snprintf(rate, sizeof rate, "der(%s)", name);
            p[t->p[i].q + k] = dfl_equations_find(s->eq, name);
            v[t->p[i].q + k] = dfl_equations_find(s->eq, rate);
            assert_true(p[t->p[i].q + k] >= 0 && v[t->p[i].q + k] >= 0);
        }
}

static void compare(tree *t, int leaves, double tolerance)
{
    enum { N = MOST_COORDINATES };
    dfl_text text = {.ctx = NULL};
    dfl_context *ctx = dfl_context_create();
    text.ctx = ctx;
    write_tree(&text, t);
    scripted s = scripted_text(dfl_text_string(&text));
    const dfl_eom *eom = dfl_runnable_eom(s.run);
    const int n = t->n, first = dfl_eom_layout(eom).v;
    assert_int_equal(eom->nv, n);
    assert_int_equal(eom->n0, leaves);
    int p[N], v[N];
    double q[N] = {0}, qd[N] = {0}, M[N * N], f[N], found[N * N] = {0}, force[N] = {0};
    find_places(p, v, &s, t);
    fill(q, n, 0.7);
    fill(qd, n, 1.0);
    for (int i = 0; i < t->count && leaves; i++)
        qd[t->p[i].q] = t->p[i].massless ? 0.0 : qd[t->p[i].q]; /* no torque of its damper */
    for (int i = 0; i < n; i++) {
        s.x[p[i]] = q[i];
        s.x[v[i]] = qd[i];
    }
    sums(M, f, t, q, qd);
    assert_int_equal(eom->mass(found, 0.0, s.x, eom->user), 0);
    assert_int_equal(eom->eval(&(dfl_blocks){.f = force}, 0.0, s.x, DFL_FORCE, eom->user), 0);
    double size = 0.0, largest = 0.0;
    for (int i = 0; i < n * n; i++)
        size = fmax(size, fabs(M[i]));
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(f[i]));
    for (int i = 0; i < n; i++) {
        assert_near(force[v[i] - first], f[i], tolerance * largest);
        for (int k = 0; k < n; k++)
            assert_near(found[v[i] - first + n * (v[k] - first)], M[i + n * k], tolerance * size);
    }
    scripted_free(&s);
    dfl_text_clear(&text);
    dfl_context_free(ctx);
}

static void a_body_of_nine_points_has_their_masses_and_forces(void **state)
{
    (void)state;
    tree t;
    seed = 1;
    for (int k = 0; k < 5; k++) {
        choose_tree(&t, 6, 1, 4, 0);
        compare(&t, 0, 1e-12);
    }
}

static void random_trees_have_the_masses_and_forces_of_their_points(void **state)
{
    (void)state;
    tree t;
    seed = 2;
    for (int k = 0; k < 30; k++) {
        choose_tree(&t, k % 3, 2 + k % 2, 2, 0);
        compare(&t, 0, 1e-11);
    }
}

/* A leaf without mass adds one direction without mass, and nothing else. */
static void leaves_without_mass_are_found_on_elastic_bodies(void **state)
{
    (void)state;
    tree t;
    seed = 3;
    for (int k = 0; k < 6; k++) {
        const int leaves = 1 + k % 2;
        choose_tree(&t, 1, leaves, 2, leaves);
        compare(&t, leaves, 1e-11);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_of_nine_points_has_their_masses_and_forces),
        cmocka_unit_test(random_trees_have_the_masses_and_forces_of_their_points),
        cmocka_unit_test(leaves_without_mass_are_found_on_elastic_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
