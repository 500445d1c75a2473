/* contact_modes.h: modes of contacts: open or closed, sticking or slipping; impacts. */
#ifndef DFL_CONTACTS_H
#define DFL_CONTACTS_H

#include "solver/solver_internal.h"

/* Rows of a contact: its normal, one or two directions of friction. */
enum { CONTACT_ROWS = 3 };

enum { MOST_TOGETHER = 12 }; /* contacts that collide at once */

/* What shares a force (stuck_friction.c): row `way` of a contact, and how much it can hold. */
typedef struct dfl_share_column {
    int contact, way; /* 0: the normal */
    double limit;
} dfl_share_column;

typedef struct dfl_contacts {
    int count;
    dfl_contact_mode *mode, *trial; /* present, tried */
    dfl_contact_mode *valid;        /* whose conditions hold */
    dfl_contact_state *state;
    double *W;    /* nv per row, CONTACT_ROWS per contact; zero: none */
    double *bias; /* of these rows */
    double *u;    /* their speeds */
    double *size; /* what tolerances may change in these speeds */
    bool *near;   /* closed, or so near that it may close now */
    bool *held;   /* near, and neither opening nor closing fast: its mode is to be found ... */
    bool *still;  /* ... and that of its friction */
    bool *left;   /* 2 count: conditions of contact and of friction that have just ended */
    bool *shared; /* 2 count: contacts that need not open, and friction that sticks, because others
                     hold what their multipliers say they cannot */
    bool *loose;  /* near, and would open if all were open */
    double *a;    /* nv: accelerations of a trial */
    double free;  /* the largest acceleration without contacts: what is small beside it is zero */
    double *x, *tried, *impulse, *answer; /* n, n, nv, CONTACT_ROWS nv */
    double *tolerance;                    /* n */
    double *share; /* 2 count: friction of contacts that stick, in each direction; 4 count: room */
    double *load;  /* count: of contacts, as shared */
    double *group; /* nv (6 count + 1): their directions, room for these, and their force */
    dfl_share_column *column; /* 3 count: whose these directions are */
    double *turned; /* 5 count: last acceleration and direction of slip, how they change */
    double *along;  /* n0: a row along directions without mass */
    dfl_lstsq *lstsq;
    double *reply;       /* nv CONTACT_ROWS MOST_TOGETHER: velocities that such impulses make */
    dfl_lstsq *together; /* their equations */
    bool *assigned;      /* n, false */
    int trials;          /* of modes, at most */
    unsigned char *seen; /* count (trials + 1): modes that were tried, and the present ones */
    int nseen;
    bool told;       /* that several modes are possible */
    double resolved; /* the time of the last instant; NAN: none */
    bool again;      /* the present one is the same */
} dfl_contacts;

dfl_status dfl_contacts_init(dfl_solver *solver);
void dfl_contacts_clear(dfl_solver *solver);

/* At the start: every contact is open, friction alone neither sticks nor slips. */
dfl_status dfl_contacts_begin(dfl_solver *solver);

/* Impacts and modes at (t, solver->x), which becomes the state after them; *changed: modes, and
   with them rows, are others. DFL_NOT_CONVERGED: no mode is possible. */
dfl_status dfl_contacts_resolve(bool *changed, dfl_solver *solver, double t);

/* impacts.c: whether contact i closes with a speed; the speeds before, and in contacts->answer
   the answers to impulses (sets other modes); whether it, opening with speed u at accelerations
   a, rises by more than the tolerance of its gap; a note for replay.c. */
struct dfl_collision;
bool dfl_contacts_closes(const dfl_solver *solver, int i);
dfl_status dfl_contacts_prepare_impact(struct dfl_collision *hit, dfl_solver *solver, double t,
                                       int i);
bool dfl_contacts_flies(const dfl_solver *solver, int i, double u, const double *a);
void dfl_contacts_note_impact(dfl_solver *solver, int contact, bool plastic);

/* impact_group.c: contact i together with those that close at its speed; done: false, if it has
   to collide alone. */
dfl_status dfl_contacts_collide_together(bool *done, dfl_solver *solver, double t, int i);

/* impacts.c: one impact at (t, contacts->x), once more, with contacts->state as it is. */
dfl_status dfl_contacts_collide_again(dfl_solver *solver, double t, int i, bool plastic);

/* impacts.c: the coefficient from which on friction of contact i may jam: n M^-1 (n - mu t)^T = 0.
   Sets other modes. INFINITY: none, or not known. */
double dfl_contacts_most_friction(dfl_solver *solver, double t, int i);

/* mode_search.c: the modes at (t, contacts->x), in contacts->trial; contacts->tried: the state. */
dfl_status dfl_contacts_search(dfl_solver *solver, double t);

/* Contact i of the trial is closed; it sticks if it does not slip, else it slips with its present
   speed, or on to the other side. */
void dfl_contacts_close(dfl_solver *solver, int i);

/* DFL_NOT_CONVERGED: no mode is possible. */
dfl_status dfl_contacts_jam(dfl_solver *solver, double t);

/* In how many directions a contact rubs. */
static inline int dfl_contact_directions(const dfl_contact *contact)
{
    return contact->tangent < 0 ? 0 : contact->directions == 2 ? 2 : 1;
}

/* impacts.c: of all contacts that close. After the search for modes: contacts that impacts have
   lifted, but lower than the tolerance of the gap, stay, as the edges of a box that rocks to rest;
   *any: there are such, and the modes are to be found again. */
dfl_status dfl_contacts_collide(dfl_solver *solver, double t);
dfl_status dfl_contacts_land(bool *any, dfl_solver *solver, double t);

/* happenings.c: call on_instant after an impact that has led from contacts->tried to contacts->x
   (sets other modes), and before contacts->trial become the modes. */
dfl_status dfl_contacts_tell_impact(dfl_solver *solver, double t, int contact,
                                    const double *impulse);
dfl_status dfl_contacts_tell_modes(dfl_solver *solver, double t);

/* Sets modes, tells the model; DFL_CALLBACK. */
dfl_status dfl_contacts_set(dfl_solver *solver, const dfl_contact_mode *modes);

/* contact->x := contact->x after `impulse` (nv), on all rows that are on. */
dfl_status dfl_contacts_jump(double *x, dfl_solver *solver, double t, const double *impulse);

/* stuck_friction.c: what contacts that stick must hold, shared by their limits: share. Before the
   modes are searched: friction that need not let go has not ended. Once they are found: which
   friction is shared. */
void dfl_contacts_share(dfl_solver *solver);
void dfl_contacts_relieve(dfl_solver *solver);
void dfl_contacts_note_shared(dfl_solver *solver);

/* Whether function i is that of friction that is shared; such functions at (t, x): what is left of
   its limit. Nonzero: the model cannot be evaluated. */
bool dfl_contacts_is_shared(const dfl_solver *solver, int i);
int dfl_contacts_shared_values(double *value, dfl_solver *solver, double t, const double *x);

/* Directions, biases and speeds of all contacts that touch, as if all were closed and stuck: W,
   bias, u, size. Sets other modes. */
dfl_status dfl_contacts_speeds(dfl_solver *solver, double t, const double *x);

#endif
