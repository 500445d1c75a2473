/* finite_elements.h: bodies of finite elements in numbers, and their reduction to few modes; part
   of elastic.h.

   Static shapes of interfaces and modes with fixed interfaces (Craig and Bampton 1968). Nodes of an
   interface move like a rigid body. */
#ifndef DFL_FINITE_ELEMENTS_H
#define DFL_FINITE_ELEMENTS_H

#include "context/context.h"

#include <stdbool.h>

enum {
    DFL_MOST_FE_DOFS = 60000,
    DFL_MOST_INTERFACES = 6,
    DFL_LONGEST_FE_NAME = 32,
    DFL_MOST_WATCHED = 48
};

/* An entry on or above the diagonal of a symmetric matrix. */
typedef struct dfl_fe_entry {
    int row, column;
    int line; /* of the file; negative: given below the diagonal */
    double value;
} dfl_fe_entry;

typedef enum dfl_fe_matrix { DFL_FE_STIFFNESS, DFL_FE_MASS, DFL_FE_MATRICES } dfl_fe_matrix;

/* Mass that moves with some of the unknowns: displacement = shape (3 x count, by columns) of them.
 */
typedef struct dfl_fe_point {
    double mass, at[3];
    int dof[12];
    double shape[36];
} dfl_fe_point;

/* An element of a beam: its axes, x along it, and its twelve unknowns. */
typedef struct dfl_fe_bar {
    int dof[12];
    double axes[3][3], length, EA, EI, EI2, GJ;
    int beam; /* which beam it is a part of; its bars follow each other */
} dfl_fe_bar;

typedef struct dfl_fe {
    dfl_context *ctx;
    int nnodes, n;         /* nodes; displacements and turns */
    int node_room;         /* nodes that `id` and `at` have room for, while they are read */
    int *id;               /* names of nodes */
    double *at;            /* 3 nnodes */
    int *node, *direction; /* n: of each unknown; directions 0, 1, 2 are shifts, 3, 4, 5 turns */
    int count[DFL_FE_MATRICES], room[DFL_FE_MATRICES];
    dfl_fe_entry *entry[DFL_FE_MATRICES];
    const char *file[DFL_FE_MATRICES]; /* for messages; the caller's */
    int npoints;
    dfl_fe_point *point; /* may be NULL: integrals are then those of the mass matrix */
    int nedges;
    int *edge; /* 2 nedges: nodes, edges of the surface where it has a fold or an end */
    int nbars;
    dfl_fe_bar *bar; /* of frames: their forces stiffen them */
} dfl_fe;

void dfl_fe_clear(dfl_fe *fe);

/* ------------------------------------------------------------------ texts (fe_text.c)

   DFL_INVALID: the message begins with FILE:LINE. Numbers are separated by spaces, commas or
   semicolons; lines that begin with # or a letter are titles. */

/* Lines `node, x, y, z`; or the blocks *NODE of an input file of CalculiX or Abaqus. */
dfl_status dfl_fe_read_nodes(dfl_fe *fe, const char *file, const char *text);
/* The blocks *ELEMENT of such a file, of solids and shells: edges that show the body.
   (fe_surface.c) */
dfl_status dfl_fe_read_elements(dfl_fe *fe, const char *file, const char *text);
/* Lines `node.direction` (as CalculiX writes them) or `node, direction`, directions from 1. */
dfl_status dfl_fe_read_unknowns(dfl_fe *fe, const char *file, const char *text);
/* Lines `row, column, value`, rows and columns from 1: one triangle, or both if they agree. */
dfl_status dfl_fe_read_matrix(dfl_fe *fe, dfl_fe_matrix which, const char *file, const char *text);

/* ------------------------------------------------------------------ HDF5 (fe_hdf5.c)

   Data sets of numbers: nodes (rows node, x, y, z), unknowns (rows node, direction), matrices (rows
   row, column, value, or all entries of the matrix). */

typedef enum dfl_fe_part {
    DFL_FE_PART_NODES,
    DFL_FE_PART_UNKNOWNS,
    DFL_FE_PART_STIFFNESS,
    DFL_FE_PART_MASS
} dfl_fe_part;

bool dfl_fe_is_hdf5(const char *bytes, size_t size);
/* One part from the data set `set` of a file, whose bytes are given; `label` is FILE:SET, which the
   caller keeps. DFL_INVALID: the message begins with label:ROW, or has the file's name. */
dfl_status dfl_fe_read_hdf5(dfl_fe *fe, dfl_fe_part part, const char *label, const char *set,
                            const char *bytes, size_t size);

/* After all parts: what was not given (three, or six, unknowns per node), the order of entries, and
   whether nothing contradicts. (fe_check.c) */
dfl_status dfl_fe_complete(dfl_fe *fe);
/* The same of a body under a load: its unknowns and its stiffness alone. */
dfl_status dfl_fe_complete_stiffness(dfl_fe *fe);
dfl_status dfl_fe_add(dfl_fe *fe, dfl_fe_matrix which, dfl_fe_entry entry);
int dfl_fe_find_node(const dfl_fe *fe, int id); /* -1: there is none */

/* The share of an unknown in a motion of the rigid body: shifts along x, y, z, turns about the
   axes. */
double dfl_fe_rigid(const dfl_fe *fe, int motion, int unknown);

double dfl_fe_mass(const dfl_fe *fe);

/* y := A x */
void dfl_fe_times(double *y, const dfl_fe *fe, dfl_fe_matrix which, const double *x);

/* ------------------------------------------------------------------ frames (fe_beams.c) */

/* A beam between two points; masses per length: rhoA, and the inertias of the section about its z
   and y axis. */
typedef struct dfl_fe_beam {
    int first, last, elements;
    double up[3]; /* towards its y axis; zero: chosen */
    double EA, EI, EI2, GJ, rhoA, rhoI, rhoI2;
} dfl_fe_beam;

/* An empty body becomes a frame of beams: points are the nodes 1, 2, ... */
dfl_status dfl_fe_frame(dfl_fe *fe, const double *points, int npoints, const dfl_fe_beam *beams,
                        int nbeams);

/* ------------------------------------------------------------------ few modes (fe_modes.c) */

struct dfl_csc;

/* The lowest `modes` eigenpairs of K x = w^2 M x with sparse symmetric matrices, each with all its
   entries; X: n x modes with X^T M X = 1; `lu` has the factors of K. DFL_INVALID: masses are not
   positive, or they did not converge. */
struct dfl_sparse_lu;
typedef struct dfl_fe_pencil {
    int n;
    const struct dfl_csc *K, *M;
    const double *k, *m;
    struct dfl_sparse_lu *lu;
} dfl_fe_pencil;
dfl_status dfl_fe_lowest(double *w2, double *X, dfl_context *ctx, const dfl_fe_pencil *pencil,
                         int modes);

/* ------------------------------------------------------------------ reduction (fe_reduce.c) */

typedef struct dfl_fe_interface {
    char name[DFL_LONGEST_FE_NAME];
    int count;
    const int *id; /* nodes by name */
    bool at_given;
    double at[3]; /* else the mean of its nodes */
} dfl_fe_interface;

/* The stiffness of the same body under a load, which says how loads of this kind stiffen it. */
typedef enum dfl_fe_load_kind {
    DFL_FE_TURNING, /* rad/s */
    DFL_FE_GRAVITY,
    DFL_FE_FORCE, /* at a node of the result */
    DFL_FE_MOMENT
} dfl_fe_load_kind;

typedef struct dfl_fe_load {
    dfl_fe_load_kind kind;
    double load[3]; /* along one axis; of turning also about two, after those about each of them */
    bool softened;  /* its stiffness contains what turning takes away, -w^2 M across the axis */
    int node;       /* of the result: interfaces, then nodes that are watched */
    dfl_fe body;    /* nodes, unknowns that are not held, stiffness */
} dfl_fe_load;
enum { DFL_MOST_FE_LOADS = 48 };

typedef struct dfl_fe_task {
    int modes; /* with fixed interfaces, beside the static shapes */
    int frame; /* dfl_beam_frame: tangent to the first interface, chord from the first to the last
                */
    int ninterfaces;
    dfl_fe_interface interface[DFL_MOST_INTERFACES];
    int nwatched; /* further nodes, by name */
    int watched[DFL_MOST_WATCHED];
    bool first_order; /* loads do not stiffen frames */
    int nloads;
    const dfl_fe_load *load;
    bool planar; /* nodes move in the plane x, y alone */
} dfl_fe_task;

/* Orthogonal modes: Me is the mass of the body, K diagonal. DFL_INVALID: a node is missing, an
   interface does not hold the body, there are too many modes. */
struct dfl_sid;
dfl_status dfl_fe_reduce(struct dfl_sid *out, const dfl_fe *fe, const dfl_fe_task *task);

/* The field r_a e_b at the nodes, with half its curl as turns; b < 0: the motion a of the rigid
   body. */
void dfl_fe_field(double *out, const dfl_fe *fe, int a, int b);

/* Integrals of the modes X (fe->n x modes). (fe_integrals.c) */
dfl_status dfl_fe_integrals(struct dfl_sid *out, const dfl_fe *fe, const double *X, int modes);

#endif
