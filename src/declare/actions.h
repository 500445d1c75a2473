/* actions.h: what changes at single instants: discrete variables, assignments and impulses at
   events and samples, contacts and friction with their modes.

   Between these instants a discrete variable is a number like a parameter, so expressions may
   contain it wherever they may contain parameters, but for masses. The mode of a contact is made of
   discrete variables, too: a row that is multiplied by 0 is off, and its multiplier is zero. */
#ifndef DFL_ACTIONS_H
#define DFL_ACTIONS_H

#include "context/context.h"
#include "symbolic/symbolic.h"

/* A list that grows: `count` items in use, memory for `room`. */
#define DFL_LIST(type)                                                                             \
    struct {                                                                                       \
        type *item;                                                                                \
        int count, room;                                                                           \
    }

struct dfl_model;

typedef struct dfl_discrete {
    dfl_expr symbol;
    double value;  /* at the start */
    dfl_expr from; /* the expression of parameters that gave it; 0: none */
    int before;    /* the number of the variable whose value before the instant this is; -1: none */
    int line;      /* of its declaration; 0: not the user's own */
    bool assigned; /* by an action */
} dfl_discrete;

/* target := value, or an impulse on a velocity. */
typedef struct dfl_assignment {
    dfl_expr target, value;
} dfl_assignment;

typedef struct dfl_action {
    char *name;
    int line;
    int event;         /* its number within its kind; -1: a sample */
    bool sampled;      /* at whole numbers k >= 0 of `function`; else where it passes zero ... */
    int direction;     /* ... rising (1), falling (-1) or both (0) */
    dfl_expr function; /* of an event; (time - phase) / period of a sample */
    DFL_LIST(dfl_assignment) sets;
    DFL_LIST(dfl_assignment) impulses;
    int foreign; /* its number + 1 if an FMU takes the first values and gives the others; 0: none */
} dfl_action;

/* A controller from elsewhere, an FMU, that works at the samples of an action. */
typedef struct dfl_foreign {
    char *name;
    dfl_text archive; /* its file */
    int action;
    DFL_LIST(unsigned) inputs; /* how the FMU calls them, in the order of the action's values ... */
    DFL_LIST(unsigned) outputs; /* ... which these follow */
    DFL_LIST(unsigned) params;
    DFL_LIST(double) values; /* of the parameters */
} dfl_foreign;

/* A unilateral contact, gap >= 0, with or without friction; or friction under a given load. */
typedef struct dfl_touch {
    char *name;
    int line;
    int normal;     /* declaration of the constraint closed * gap; -1: none, friction alone */
    int directions; /* of friction: 0, 1, or 2 on a surface */
    int tangent[2]; /* declarations of the rows stick * slip; -1: none */
    int event;      /* that impacts are reported as; -1: none */
    dfl_expr gap, slip[2];
    dfl_expr load;            /* the normal force, positive */
    dfl_expr restitution;     /* speed after over speed before an impact */
    dfl_expr kinetic, limit;  /* friction forces: while slipping, the largest while sticking */
    dfl_expr coefficient;     /* of friction during impacts */
    dfl_expr sliding;         /* positive while it slips on in its direction */
    int closed, stick, sense; /* numbers of discrete variables: 0 or 1; 0 or 1; direction of slip */
    int along[2], speed;      /* in two directions: those of dfl_contact_mode */
} dfl_touch;

typedef struct dfl_actions {
    DFL_LIST(dfl_discrete) discretes;
    DFL_LIST(dfl_action) list; /* in order of declaration */
    DFL_LIST(dfl_touch) touches;
    DFL_LIST(dfl_foreign) foreigns;
} dfl_actions;

/* A discrete variable, and an output of the same name. */
dfl_status dfl_model_discrete(dfl_expr *out, struct dfl_model *model, int line, const char *name,
                              double value);
/* One of our own, no output. */
dfl_status dfl_model_hidden_discrete(dfl_expr *out, struct dfl_model *model, const char *name,
                                     double value);
/* The value of a discrete variable before the present instant. */
dfl_status dfl_model_previous(dfl_expr *out, struct dfl_model *model, dfl_expr discrete);

/* The action of the event that was declared last; that of a new sample; *out: its number. */
dfl_status dfl_model_action(int *out, struct dfl_model *model);
/* Of an event that was declared before; DFL_INVALID: there is none, or it is an impact, or it
   stops. */
dfl_status dfl_model_action_of(int *out, struct dfl_model *model, const char *event);
dfl_status dfl_model_sample(int *out, struct dfl_model *model, int line, const char *name,
                            double period, double phase);
/* What they do. Targets: velocities, speeds, positions, dynamic and discrete variables; impulses
   act on velocities. */
dfl_status dfl_model_assign(struct dfl_model *model, int action, dfl_expr target, dfl_expr value);
/* The same with a variable of our own, without checks. */
dfl_status dfl_model_assign_own(struct dfl_model *model, int action, dfl_expr target,
                                dfl_expr value);
dfl_status dfl_model_impulse(struct dfl_model *model, int action, dfl_expr u, dfl_expr value);

/* `expr` as it was `count` samples ago: a chain of discrete variables, NAME the last of them. */
dfl_status dfl_model_delay(dfl_expr *out, struct dfl_model *model, int line, const char *name,
                           dfl_expr expr, const char *sample, int count);

/* foreign.c: a controller that is an FMU, whose bytes are `archive`; *out: its number. Then what
   goes into it, what comes out, in this order, and what is set before it starts; references are the
   FMU's. */
dfl_status dfl_model_foreign(int *out, struct dfl_model *model, int line, const char *name,
                             const dfl_text *archive, double period);
dfl_status dfl_model_foreign_input(struct dfl_model *model, int foreign, unsigned reference,
                                   dfl_expr value);
dfl_status dfl_model_foreign_output(dfl_expr *out, struct dfl_model *model, int line, int foreign,
                                    unsigned reference, const char *name);
dfl_status dfl_model_foreign_set(struct dfl_model *model, int foreign, unsigned reference,
                                 double value);

/* A contact: makes its modes, its rows and takes what is known of them from `touch` (name, line,
   gap or DFL_NO_EXPR, directions, slip, restitution); *out: its number. `load` is the multiplier
   of the contact, or given. The laws of friction, and in two directions `sliding`, are set in
   the item of the list afterwards. */
dfl_status dfl_model_touch(int *out, struct dfl_model *model, const dfl_touch *touch);

/* Once the model is complete: forces that jump with the sign of a speed may hold it at zero
   (sliding.c). */
dfl_status dfl_model_slide(struct dfl_model *model);

#endif
