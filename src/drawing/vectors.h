/* vectors.h: vectors and matrices of expressions. Zeros and ones vanish in the constructors of the
   graph, so that plane models and axes of coordinates need no separate algebra. */
#ifndef DFL_MECHANISM_VECTORS_H
#define DFL_MECHANISM_VECTORS_H

#include "drawing/bodies.h"

static inline dfl_vec vec_zero(void)
{
    return (dfl_vec){{0, 0, 0}}; /* node 0 is the constant 0 */
}

static inline bool vec_is_zero(dfl_vec a)
{
    return a.e[0] == 0 && a.e[1] == 0 && a.e[2] == 0;
}

/* 0, 1, 2 for a vector along x, y, z, else 3. */
static inline int vec_coordinate(dfl_vec a)
{
    int k = 0;
    while (k < 3 && (a.e[(k + 1) % 3] || a.e[(k + 2) % 3]))
        k++;
    return k;
}

static inline dfl_vec vec_add(dfl_graph *g, dfl_vec a, dfl_vec b)
{
    for (int i = 0; i < 3; i++)
        a.e[i] = dfl_add(g, a.e[i], b.e[i]);
    return a;
}

static inline dfl_vec vec_sub(dfl_graph *g, dfl_vec a, dfl_vec b)
{
    for (int i = 0; i < 3; i++)
        a.e[i] = dfl_sub(g, a.e[i], b.e[i]);
    return a;
}

static inline dfl_vec vec_scale(dfl_graph *g, dfl_expr k, dfl_vec a)
{
    for (int i = 0; i < 3; i++)
        a.e[i] = dfl_mul(g, k, a.e[i]);
    return a;
}

static inline dfl_vec vec_neg(dfl_graph *g, dfl_vec a)
{
    for (int i = 0; i < 3; i++)
        a.e[i] = dfl_neg(g, a.e[i]);
    return a;
}

static inline dfl_expr vec_dot(dfl_graph *g, dfl_vec a, dfl_vec b)
{
    dfl_expr sum = dfl_mul(g, a.e[0], b.e[0]);
    for (int i = 1; i < 3; i++)
        sum = dfl_add(g, sum, dfl_mul(g, a.e[i], b.e[i]));
    return sum;
}

static inline dfl_vec vec_cross(dfl_graph *g, dfl_vec a, dfl_vec b)
{
    dfl_vec c;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c.e[i] = dfl_sub(g, dfl_mul(g, a.e[j], b.e[k]), dfl_mul(g, a.e[k], b.e[j]));
    }
    return c;
}

static inline dfl_vec vec_unit(dfl_graph *g, dfl_vec a)
{
    const dfl_expr length = dfl_unary(g, DFL_OP_SQRT, vec_dot(g, a, a));
    for (int i = 0; i < 3; i++)
        a.e[i] = dfl_div(g, a.e[i], length);
    return a;
}

/* c + a x b */
static inline dfl_vec vec_cross_add(dfl_graph *g, dfl_vec c, dfl_vec a, dfl_vec b)
{
    return vec_add(g, c, vec_cross(g, a, b));
}

static inline dfl_vec mat_row(dfl_mat A, int i)
{
    return (dfl_vec){{A.e[3 * i], A.e[3 * i + 1], A.e[3 * i + 2]}};
}

static inline dfl_vec mat_column(dfl_mat A, int k)
{
    return (dfl_vec){{A.e[k], A.e[3 + k], A.e[6 + k]}};
}

/* A b */
static inline dfl_vec mat_times(dfl_graph *g, dfl_mat A, dfl_vec b)
{
    return (dfl_vec){
        {vec_dot(g, mat_row(A, 0), b), vec_dot(g, mat_row(A, 1), b), vec_dot(g, mat_row(A, 2), b)}};
}

/* A^T b */
static inline dfl_vec mat_back(dfl_graph *g, dfl_mat A, dfl_vec b)
{
    return (dfl_vec){{vec_dot(g, mat_column(A, 0), b), vec_dot(g, mat_column(A, 1), b),
                      vec_dot(g, mat_column(A, 2), b)}};
}

static inline dfl_mat mat_product(dfl_graph *g, dfl_mat A, dfl_mat B)
{
    dfl_mat C;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            C.e[3 * i + k] = vec_dot(g, mat_row(A, i), mat_column(B, k));
    return C;
}

static inline dfl_mat mat_of_rows(const dfl_vec rows[3])
{
    dfl_mat A;
    for (int i = 0; i < 9; i++)
        A.e[i] = rows[i / 3].e[i % 3];
    return A;
}

static inline dfl_mat mat_transpose(dfl_mat A)
{
    dfl_mat B;
    for (int i = 0; i < 9; i++)
        B.e[i] = A.e[3 * (i % 3) + i / 3];
    return B;
}

static inline bool mat_same(dfl_mat A, dfl_mat B)
{
    for (int i = 0; i < 9; i++)
        if (A.e[i] != B.e[i])
            return false;
    return true;
}

static inline dfl_mat mat_identity(dfl_graph *g)
{
    const dfl_expr one = dfl_constant(g, 1.0);
    return (dfl_mat){{one, 0, 0, 0, one, 0, 0, 0, one}};
}

/* Symmetric matrices: xx yy zz xy xz yz. */
static inline int sym_place(int i, int k)
{
    static const unsigned char place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    return place[i][k];
}

static inline dfl_vec sym_row(dfl_sym A, int i)
{
    return (dfl_vec){{A.e[sym_place(i, 0)], A.e[sym_place(i, 1)], A.e[sym_place(i, 2)]}};
}

static inline dfl_vec sym_times(dfl_graph *g, dfl_sym A, dfl_vec b)
{
    return (dfl_vec){
        {vec_dot(g, sym_row(A, 0), b), vec_dot(g, sym_row(A, 1), b), vec_dot(g, sym_row(A, 2), b)}};
}

static inline dfl_sym sym_add(dfl_graph *g, dfl_sym A, dfl_sym B)
{
    for (int k = 0; k < 6; k++)
        A.e[k] = dfl_add(g, A.e[k], B.e[k]);
    return A;
}

/* R A R^T */
static inline dfl_sym sym_rotate(dfl_graph *g, dfl_mat R, dfl_sym A)
{
    dfl_vec T[3]; /* rows of R A */
    dfl_sym B;
    for (int i = 0; i < 3; i++)
        T[i] = sym_times(g, A, mat_row(R, i));
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            B.e[sym_place(i, k)] = vec_dot(g, T[i], mat_row(R, k));
    return B;
}

/* The rotation by an angle about a unit vector (Rodrigues); for axes of coordinates nothing but 0,
   1, sin, cos is left. */
static inline dfl_mat mat_turn(dfl_graph *g, dfl_vec s, dfl_expr angle)
{
    const dfl_expr one = dfl_constant(g, 1.0);
    const dfl_expr c = dfl_unary(g, DFL_OP_COS, angle), d = dfl_sub(g, one, c);
    const dfl_vec t = vec_scale(g, dfl_unary(g, DFL_OP_SIN, angle), s);
    dfl_mat R;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const dfl_expr square = dfl_mul(g, s.e[i], s.e[i]);
        const dfl_expr both = dfl_mul(g, d, dfl_mul(g, s.e[i], s.e[j]));
        R.e[4 * i] = square == one ? one : dfl_add(g, c, dfl_mul(g, d, square));
        R.e[3 * i + j] = dfl_sub(g, both, t.e[k]);
        R.e[3 * j + i] = dfl_add(g, both, t.e[k]);
    }
    return R;
}

#endif
