/* elastic.h: elastic bodies in numbers: how they deform and what that does to their masses.

   A point r of a body is displaced, in axes of the body's frame, by

       u(r) = sum_j Phi_j(r) z_j(q)

   with fields Phi_j and amplitudes z_j of the elastic coordinates q_1 ... q_n: the first n
   amplitudes are q themselves, the others are q_a q_b, or q_a^2 / 2 for a = b, or sums of these
   (second-order kinematics: a beam that bends becomes shorter). Integrals of products of two fields
   over the mass are therefore all that the kinetic energy needs. */
#ifndef DFL_ELASTIC_H
#define DFL_ELASTIC_H

#include "context/context.h"
#include "elastic/finite_elements.h"

#include <stdbool.h>

enum {
    DFL_MOST_MODES = 40,
    DFL_MOST_PAIRS = DFL_MOST_MODES * (DFL_MOST_MODES + 1) / 2,
    DFL_AFFINE_FIELDS = 12,
    DFL_MOST_FIELDS = DFL_MOST_MODES + DFL_MOST_PAIRS + DFL_AFFINE_FIELDS
};

/* The number of the pair i <= k among those of n modes. */
static inline int dfl_mode_pair(int n, int i, int k)
{
    return i * n - i * (i - 1) / 2 + k - i;
}

/* The amplitude of a field: q_a q_b if a < b, q_a^2 / 2 if a == b; with b = DFL_LINEAR q_a, and
   with b = DFL_FORM half the quadratic form number a of the body, q.F q / 2. */
enum { DFL_LINEAR = -1, DFL_FORM = -2 };
typedef struct dfl_amplitude {
    int a, b;
} dfl_amplitude;

/* A place where something can be attached: its position, displacements and turns of the fields:
   small angles about the axes of the frame, per unit of amplitude. */
typedef struct dfl_modal_node {
    double at[3];
    double *phi;    /* 3 nz: phi[3 j + k] */
    double *psi;    /* 3 nz */
    double *strain; /* n, of beams: stretch, curvature or twist per length, per unit of q */
    double turn;    /* of beams: the share of the modes in the turn by a moment there; else 0 */
} dfl_modal_node;

/* Invariants of the mass, about the origin of the frame. Symmetric matrices: xx yy zz xy xz yz. */
typedef struct dfl_modal_body {
    dfl_context *ctx;
    int n, nz, nnodes;
    int noutline; /* the last of the nodes: points of lines that show the body, in their order */
    dfl_amplitude *amplitude; /* nz */
    int nforms;
    double *form;       /* n n nforms: symmetric matrices */
    double mass, s0[3]; /* ∫ r */
    double J0[6];
    double *S;  /* 3 nz: ∫ Phi_j */
    double *J1; /* 6 nz: J = J0 + J1_j z_j + J2_ij z_i z_j */
    double *J2; /* 6 nz nz: J2[6 (i + nz j) + k] */
    double *C0; /* 3 nz: ∫ r x Phi_j */
    double *C1; /* 3 nz nz: ∫ Phi_i x Phi_j at 3 (i + nz j) */
    double *Me; /* nz nz: ∫ Phi_i . Phi_j */
    dfl_modal_node *node;
} dfl_modal_body;

/* All zero, with room for `nnodes` nodes; amplitudes of the first n fields are set. DFL_INVALID:
   too many modes or fields. */
dfl_status dfl_modal_body_create(dfl_modal_body **out, dfl_context *ctx, int n, int nz, int nnodes);
void dfl_modal_body_free(dfl_modal_body *body);

/* Adds a point mass: Phi has 3 nz numbers. */
void dfl_modal_body_add(dfl_modal_body *body, double mass, const double r[3], const double *Phi);

/* Makes zero what is zero up to rounding beside the masses of the fields, in all units. */
void dfl_modal_body_round(dfl_modal_body *body);

/* ------------------------------------------------------------------ modes (symmetric_modes.c) */

/* The lowest eigenpairs of K x = w^2 M x with symmetric matrices of order n (column-major, both
   overwritten); X (n x n): columns with X^T M X = 1, by ascending w^2. DFL_INVALID: M is not
   positive definite, or a number is not finite. */
dfl_status dfl_symmetric_modes(double *w2, double *X, dfl_context *ctx, int n, double *K,
                               double *M);

/* ------------------------------------------------------------------ straight beams (unit_beam.c)

   A beam of length 1 and mass 1 along x; fields are normalised, so that its modal masses are 1. */

typedef enum dfl_beam_frame {
    DFL_FRAME_CHORD,   /* both reference stations lie on x, the first at its place */
    DFL_FRAME_TANGENT, /* the first reference station neither moves nor turns */
    DFL_FRAME_BUCKENS  /* no momentum in the frame: modes of the free beam */
} dfl_beam_frame;

typedef enum dfl_beam_family {
    DFL_BEAM_STRETCH,
    DFL_BEAM_BEND_Y, /* deflections along y */
    DFL_BEAM_BEND_Z,
    DFL_BEAM_TWIST,
    DFL_BEAM_FAMILIES
} dfl_beam_family;

/* A function of the station, linear between `count` places from 0 to 1; NULL: 1. */
typedef struct dfl_beam_profile {
    int count;
    const double *x, *y;
} dfl_beam_profile;

/* The value of a profile at a station. */
double dfl_profile_at(const dfl_beam_profile *profile, double x);

typedef struct dfl_beam_task {
    int elements; /* over the whole length */
    int modes;
    bool interface; /* keep the static shapes of all stations, beside `modes` fixed-interface modes
                     */
    bool first_order;
    bool planar;
    dfl_beam_frame frame;
    int first, last; /* reference stations */
    int nstations;
    const double *station;
    double stiffness[DFL_BEAM_FAMILIES]; /* EA L^2, EI, EI, GJ L^2 mass / rotary: they order the
                                            modes */
    dfl_beam_profile mass,
        stiff[DFL_BEAM_FAMILIES]; /* factors along the beam; mass: mean value 1 */
} dfl_beam_task;

/* What decides which modes a beam has, and their order: all else of a unit beam does not depend on
   the stiffness of its families. */
typedef struct dfl_family_list {
    int count[DFL_BEAM_FAMILIES];
    double k[DFL_BEAM_FAMILIES][DFL_MOST_MODES]; /* ascending */
} dfl_family_list;

typedef struct dfl_beam_order {
    int modes;                              /* wanted, without those of interfaces ... */
    dfl_family_list lowest;                 /* ... among these ... */
    int chosen[DFL_BEAM_FAMILIES];          /* ... so many of each family */
    int n;                                  /* all modes */
    dfl_beam_family family[DFL_MOST_MODES]; /* n */
    double k[DFL_MOST_MODES];               /* n: stiffness for the family's stiffness 1 */
} dfl_beam_order;

typedef struct dfl_unit_beam {
    dfl_modal_body *body; /* nodes: the stations, then places along the beam */
    dfl_beam_order order;
    double turn0[DFL_MOST_MODES]; /* twist: mean of the mode */
} dfl_unit_beam;

dfl_status dfl_unit_beam_find(dfl_unit_beam *out, dfl_context *ctx, const dfl_beam_task *task);
/* Whether a beam whose families have other stiffness is the same unit beam. */
bool dfl_unit_beam_same(const dfl_beam_order *order, const double stiffness[DFL_BEAM_FAMILIES]);

/* ------------------------------------------------------------------ SID files (sid_reader.c)

   Standard input data of elastic bodies (Wallrapp 1994), as text: FEMBS, PY_SID and others write
   them. Matrices by rows; rows are axes, columns modes. */

enum {
    DFL_MOST_SID_NODES = 64,
    DFL_LONGEST_SID_NAME = 32,
    DFL_MOST_OUTLINE = 400,
    DFL_MOST_LINE = 100 /* points of one line */
};

typedef struct dfl_sid_node {
    char name[DFL_LONGEST_SID_NAME];
    int id; /* of frames: the point of the frame; else 0 */
    double at[3], phi[3 * DFL_MOST_MODES], psi[3 * DFL_MOST_MODES];
    double phi2[3 * DFL_MOST_PAIRS], psi2[3 * DFL_MOST_PAIRS]; /* of second order */
} dfl_sid_node;

/* A point of a line that shows a frame of beams or the edges of a solid: displacements of the
   modes, and what they do to the section, by families. */
typedef struct dfl_outline_point {
    int line; /* which line, from 0 */
    int end;  /* the point of the frame where the beam ends; 0: within the beam */
    double at[3], phi[3 * DFL_MOST_MODES], load[DFL_BEAM_FAMILIES * DFL_MOST_MODES];
    double critical[2]; /* of a cantilever of this beam: moments of bending along y and along z that
                           let it fall over sideways; 0: none does */
} dfl_outline_point;

/* Such a moment about the stiff axis of a section (Timoshenko and Gere 1961, section 6.3). */
double dfl_critical_moment(double EI, double EI2, double GJ, double length);

typedef struct dfl_sid {
    int n, nnodes, noutline;
    int line; /* of Me in the file, for messages */
    double mass, moment[3], inertia[6];
    double S[3 * DFL_MOST_MODES], J1[6 * DFL_MOST_MODES], C0[3 * DFL_MOST_MODES];
    double C1[3 * DFL_MOST_MODES * DFL_MOST_MODES];
    double J2[6 * DFL_MOST_MODES * DFL_MOST_MODES];
    double Me[DFL_MOST_MODES * DFL_MOST_MODES], K[DFL_MOST_MODES * DFL_MOST_MODES];
    double D[DFL_MOST_MODES * DFL_MOST_MODES];
    bool stiffened; /* by loads: there are fields of second order Phi2_ij, in Ct.m1, Cr.m1, phi.m1,
                       psi.m1 and, as half of their J1, in J2 */
    double S2[3 * DFL_MOST_PAIRS], C2[3 * DFL_MOST_PAIRS]; /* int Phi2_ij, int r x Phi2_ij */
    bool affine; /* of frames: what S2, C2 and J2 have not, as sums of the affine fields */
    double share[DFL_AFFINE_FIELDS * DFL_MOST_PAIRS];
    dfl_sid_node node[DFL_MOST_SID_NODES];
    dfl_outline_point outline[DFL_MOST_OUTLINE]; /* of frames and solids; SID files have none */
} dfl_sid;

/* Reads a text, which ends with '\0'. DFL_INVALID: the message begins with FILE:LINE. */
dfl_status dfl_sid_read(dfl_sid *sid, dfl_context *ctx, const char *file, const char *text);

/* DFL_INVALID, with FILE:LINE: no distribution of mass has these integrals, because some motion of
   the undeformed body and its modes would have negative kinetic energy, or a mode has no mass. */
dfl_status dfl_sid_check(const dfl_sid *sid, dfl_context *ctx, const char *file);

/* The integrals and nodes of a body, which are named 1, 2, ...; terms of third order in q are left
   out. Stiffness and damping are 0. DFL_INVALID: too many nodes. (sid_body.c) */
dfl_status dfl_sid_of_body(dfl_sid *sid, const dfl_modal_body *body);

/* ------------------------------------------------------------------ second order (affine_fields.c)

   The affine fields e_b, x e_b, y e_b, z e_b: numbers b, 3 + b, 6 + b, 9 + b. */

/* Shares of the affine fields in Phi2_ij, of which the integrals int Phi2_b and int r_a Phi2_b are
   given in their order (DFL_MOST_PAIRS apart): the field with these integrals that has the least
   mass. */
dfl_status dfl_affine_shares(dfl_sid *sid, dfl_context *ctx, const double *integrals);
/* Which of them there are; returns how many. */
int dfl_affine_list(int which[DFL_AFFINE_FIELDS], const dfl_sid *sid);
/* Adds these fields, the last ones of a body, which has the modes of `sid`. */
dfl_status dfl_affine_add(dfl_modal_body *body, const dfl_sid *sid, const int *which, int count);

/* Appends the text of a file with all blocks; `title` is its first line. (sid_writer.c) */
dfl_status dfl_sid_write(dfl_text *out, const dfl_sid *sid, const char *title);

#endif
