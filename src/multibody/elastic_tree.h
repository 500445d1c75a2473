/* elastic_tree.h: elastic bodies in trees; part of multibody.h.

   An elastic body is a frame of reference, which is a body of the tree without mass of its own,
   with displacements u = Phi_j z_j(q) in it (elastic/elastic.h): q are elastic coordinates, the
   amplitude z_j is q_a, q_a q_b, q_a^2 / 2, or half a quadratic form. Its nodes hang on the frame,
   or it on one of them, by chains of slides and turns, whose coordinates are sums of amplitudes:
   these joints are slaves. Velocities of an elastic tree are those of all other joints in the order
   of the tree, then the rates of q, body by body; coordinates likewise. */
#ifndef DFL_ELASTIC_TREE_H
#define DFL_ELASTIC_TREE_H

/* A number for two fields i <= j. */
typedef struct dfl_field_product {
    int i, j;
    double value;
} dfl_field_product;

/* Integrals over the mass, as of dfl_modal_body. J2, C1 and Me are sums of products of components
   of fields along an axis: with B_ab = int Phi_ia Phi_jb

       J2_ij = tr B 1 - (B + B^T) / 2      (C1_ij)_c = B_ab - B_ba      Me_ij = tr B + rest_ij

   for (a, b, c) cyclic. Components that are zero everywhere are left out. */
typedef struct dfl_field_integrals {
    dfl_context *ctx;
    int n, nz, nforms;
    int *a, *b;   /* nz: which amplitude, as of dfl_amplitude */
    double *form; /* n n nforms */
    double mass, s0[3], J0[6];
    double *S, *J1, *C0; /* 3 nz, 6 nz, 3 nz */
    int first[4];        /* components along axis a: first[a] .. first[a + 1] - 1 */
    int *field;          /* whose they are */
    double *B;           /* products of all components, symmetric */
    int nrest;           /* of tables alone: others have the masses of their displacements */
    dfl_field_product *rest;
    bool *twist;  /* n: q is an angle, by which sections turn about x */
    double *mean; /* n: of such a mode */
} dfl_field_integrals;

/* With room for `nforms` forms; n is at most DFL_MOST_ELASTIC. */
enum { DFL_MOST_ELASTIC = 40 };
dfl_status dfl_field_integrals_create(dfl_field_integrals **out, dfl_context *ctx, int n, int nz,
                                      int nforms, int ncomponents, int nrest);
void dfl_field_integrals_free(dfl_field_integrals *integrals);

/* A joint that an elastic body moves: its coordinate is sum_j field_j z_j, which is an angle or a
   shift. */
typedef struct dfl_slave_joint {
    int joint;
    bool turns;
    double *field; /* nz */
} dfl_slave_joint;

/* Integrals and fields are in units of `mass` and `length`; a field of second order is divided by
   the length. `rotary`: inertia of the sections about x, for twists. */
typedef struct dfl_tree_elastic {
    int body;                        /* its frame */
    double at[3], axis[3], axis2[3]; /* origin, z and x of the integrals, in the drawing */
    double mass, length, rotary;
    dfl_field_integrals *integrals;
    int nslaves;
    dfl_slave_joint *slaves;
} dfl_tree_elastic;

typedef struct dfl_elastic_tree dfl_elastic_tree;

/* Elastic bodies of a tree, which must outlive it and is moved by it from now on, as must the
   integrals and fields of the bodies. DFL_NO_MEMORY. */
dfl_status dfl_elastic_tree_create(dfl_elastic_tree **out, dfl_context *ctx, dfl_tree *tree,
                                   dfl_tree_derivatives *derivatives,
                                   const dfl_tree_elastic *bodies, int count);
void dfl_elastic_tree_free(dfl_elastic_tree *tree);

int dfl_elastic_tree_np(const dfl_elastic_tree *tree);
int dfl_elastic_tree_nv(const dfl_elastic_tree *tree);

/* As the functions of trees with the same names. */
void dfl_elastic_tree_place(dfl_elastic_tree *tree, const double *p);
void dfl_elastic_tree_inverse(double *tau, dfl_elastic_tree *tree, const double *v,
                              const double *a);
void dfl_elastic_tree_mass(double *M, int ld, dfl_elastic_tree *tree);
void dfl_elastic_tree_derive(double *Tq, double *Tv, double *M, dfl_elastic_tree *tree,
                             const double *v, const double *a);
void dfl_elastic_tree_chain(double *Y, int ldy, dfl_elastic_tree *tree, const double *A, int lda,
                            int rows); /* at the place of the tree */

/* Whether all velocities have inertia at places around the reference. */
bool dfl_elastic_tree_regular(dfl_elastic_tree *tree);

#endif
