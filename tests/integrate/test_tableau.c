/* Order conditions of the explicit methods, for every tree.

   A method has order p for ordinary differential equations if sum b_i phi_i(t) = 1/gamma(t) for all
   rooted trees of order up to p (Hairer, Norsett and Wanner I, II.2): 200 trees up to order 8.
   Continuous output has order p if the weights b_i(theta) give theta^order/gamma(t). For
   differential-algebraic equations y' = f(y, z), 0 = g(y) of index 2 trees have vertices of two
   kinds (Hairer, Lubich and Roche 1989): children of f may be components z, which are [y ... y]_z
   with order one less than that of their children and gamma = (product of gammas)/(order + 1).
   Conditions hold to rounding of coefficients of size 40. */
#include "integrate/tableau.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST_TREES = 4000, MOST_CHILDREN = 8, S = DFL_TABLEAU_STAGES };

typedef struct tree {
    bool z;
    int order, children, child[MOST_CHILDREN];
    double gamma;
    double phi[S]; /* of the stages */
} tree;

static tree forest[MOST_TREES];
static int trees;

/* phi and gamma of a new tree from those of its children. */
typedef void (*complete_fn)(tree *t, const dfl_tableau *rk);

static double row(const double *a, const double *phi, int count)
{
    double sum = 0;
    for (int j = 0; j < count; j++)
        sum += a[j] * phi[j];
    return sum;
}

/* phi_i = product of sum a_ij phi_j over children y and of psi_i over children z */
static void complete_y(tree *t, const dfl_tableau *rk)
{
    t->gamma = t->order;
    for (int i = 0; i < rk->all; i++)
        t->phi[i] = 1;
    for (int k = 0; k < t->children; k++) {
        const tree *child = &forest[t->child[k]];
        t->gamma *= child->gamma;
        for (int i = 0; i < rk->all; i++)
            t->phi[i] *= child->z ? child->phi[i] : row(rk->A[i], child->phi, i);
    }
}

/* Half-explicit stages: sum_{j <= i} a_{i+1,j} psi_j = product of sum a_{i+1,j} phi_j, psi = 0 at
   the first */
static void complete_z(tree *t, const dfl_tableau *rk)
{
    t->gamma = 1.0 / (t->order + 1);
    for (int k = 0; k < t->children; k++)
        t->gamma *= forest[t->child[k]].gamma;
    t->phi[0] = 0;
    for (int i = 1; i < rk->stages; i++) {
        const double *a = rk->A[i + 1];
        double product = 1;
        for (int k = 0; k < t->children; k++)
            product *= row(a, forest[t->child[k]].phi, i + 1);
        t->phi[i] = (product - row(a, t->phi, i)) / a[i];
    }
}

/* Adds all trees of one kind whose children have `left` orders to share, the next child being at
   most `last`. Components z are children of y only. */
static void add_trees(tree *t, int left, int last, const dfl_tableau *rk)
{
    if (left == 0) {
        const tree *only = &forest[t->child[0]];
        if (t->z && t->children == 1 && only->children == 1 && forest[only->child[0]].z)
            return; /* g_y f_z of a z is that z itself */
        assert_true(trees < MOST_TREES);
        forest[trees] = *t;
        (t->z ? complete_z : complete_y)(&forest[trees], rk);
        trees++;
        return;
    }
    for (int c = last; c >= 0; c--) {
        if (forest[c].order > left || (t->z && forest[c].z))
            continue;
        t->child[t->children++] = c;
        add_trees(t, left - forest[c].order, c, rk);
        t->children--;
    }
}

/* All trees up to an order; with `dae` those of index 2. */
static void plant(const dfl_tableau *rk, int most, bool dae)
{
    trees = 0;
    for (int order = 1; order <= most; order++) {
        const int before = trees;
        add_trees(&(tree){.order = order}, order - 1, before - 1, rk);
        if (!dae)
            continue;
        /* z of one order less, then y with that z as its only child */
        const int first = trees;
        if (order > 1)
            add_trees(&(tree){.z = true, .order = order - 1}, order, first - 1, rk);
        for (int u = first, end = trees; u < end; u++) {
            tree t = {.order = order, .children = 1, .child = {u}};
            complete_y(&t, rk);
            forest[trees++] = t;
        }
    }
}

static void check(const dfl_tableau *rk, const double *weight, int order, double theta, double tol)
{
    for (int k = 0; k < trees; k++)
        if (!forest[k].z && forest[k].order <= order) {
            const double expected = pow(theta, forest[k].order) / forest[k].gamma;
            assert_true(fabs(row(weight, forest[k].phi, rk->all) - expected) < tol);
        }
}

/* The weights without an error estimate: those of the embedded method. */
static void embedded(double *b, const dfl_tableau *rk, int which)
{
    for (int i = 0; i < S; i++)
        b[i] = rk->A[rk->stages][i] - rk->error[which][i];
}

static void nodes_are_sums_of_rows(void **state)
{
    (void)state;
    const dfl_tableau *rk[] = {&dfl_dormand_prince_8, &dfl_dormand_prince_5};
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < rk[m]->all; i++) {
            double sum = 0;
            for (int j = 0; j < i; j++)
                sum += rk[m]->A[i][j];
            assert_true(fabs(sum - rk[m]->c[i]) < 1e-14);
        }
}

static void order_eight_and_its_embedded_orders_hold_for_all_trees(void **state)
{
    (void)state;
    const dfl_tableau *rk = &dfl_dormand_prince_8;
    double b[S];
    plant(rk, 8, false);
    assert_int_equal(trees, 200);
    check(rk, rk->A[rk->stages], 8, 1, 1e-14);
    embedded(b, rk, 0);
    check(rk, b, 5, 1, 1e-13);
    embedded(b, rk, 1);
    check(rk, b, 3, 1, 1e-13);
}

static void order_five_and_its_embedded_order_hold_for_all_trees(void **state)
{
    (void)state;
    const dfl_tableau *rk = &dfl_dormand_prince_5;
    double b[S];
    plant(rk, 5, false);
    check(rk, rk->A[rk->stages], 5, 1, 1e-14);
    embedded(b, rk, 0);
    check(rk, b, 4, 1, 1e-14);
}

/* Weights b_i(theta) of the continuous output, as tableau.h writes it. */
static void continuous_weights(double *b, const dfl_tableau *rk, double theta)
{
    for (int i = 0; i < rk->all; i++) {
        const double B = rk->A[rk->stages][i], first = i == 0, last = i == rk->stages;
        double y = 0;
        for (int k = rk->power - 1; k >= 0; k--) {
            const double F = k == 0   ? B
                             : k == 1 ? first - B
                             : k == 2 ? 2 * B - first - last
                                      : rk->dense[k - 3][i];
            y = (y + F) * (k % 2 == 0 ? theta : 1 - theta);
        }
        b[i] = y;
    }
}

static void continuous_output_has_order_seven_and_four(void **state)
{
    (void)state;
    const dfl_tableau *rk[] = {&dfl_dormand_prince_8, &dfl_dormand_prince_5};
    const int order[] = {7, 4};
    double b[S] = {0};
    for (int m = 0; m < 2; m++) {
        plant(rk[m], order[m], false);
        for (double theta = 0.125; theta <= 1; theta += 0.125) {
            continuous_weights(b, rk[m], theta);
            check(rk[m], b, order[m], theta, 1e-12);
        }
    }
}

/* All conditions of order 5 for index 2, with the multipliers of the first stage given. There are
   1, 3 and 22 trees of the first orders, by hand; that they distinguish methods shows the embedded
   one. */
static void half_explicit_stages_have_order_five_for_index_two(void **state)
{
    (void)state;
    const dfl_tableau *rk = &dfl_dormand_prince_5;
    int count[6] = {0}, violated = 0;
    double b[S];
    plant(rk, 5, true);
    embedded(b, rk, 0);
    for (int k = 0; k < trees; k++) {
        count[forest[k].order] += !forest[k].z;
        violated +=
            !forest[k].z && fabs(row(b, forest[k].phi, rk->all) - 1 / forest[k].gamma) > 1e-4;
    }
    assert_int_equal(count[1], 1);
    assert_int_equal(count[2], 3);
    assert_int_equal(count[3], 22);
    assert_true(violated > 0);
    check(rk, rk->A[rk->stages], 5, 1, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_sums_of_rows),
        cmocka_unit_test(order_eight_and_its_embedded_orders_hold_for_all_trees),
        cmocka_unit_test(order_five_and_its_embedded_order_hold_for_all_trees),
        cmocka_unit_test(continuous_output_has_order_seven_and_four),
        cmocka_unit_test(half_explicit_stages_have_order_five_for_index_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
