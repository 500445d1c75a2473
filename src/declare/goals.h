/* goals.h: what optimize{} of a script says: what may vary, what is to become small, what is to be
   fitted. */
#ifndef DFL_GOALS_H
#define DFL_GOALS_H

#include "symbolic/symbolic.h"

#include "declare/actions.h"

/* A parameter, an input or initial(x), with its bounds. */
typedef struct dfl_varied {
    char *name; /* as a setting from outside has it */
    double low, high;
} dfl_varied;

/* The value of an expression at a time of the run, which `minimize` and limits contain as a symbol.
 */
typedef struct dfl_measure {
    dfl_expr symbol, expr; /* the symbol is a parameter's */
    int param;             /* its index */
    double t;              /* NAN: the end */
    bool peak;             /* where it is largest, instead */
    dfl_expr met; /* how often an event has happened, whose time this is; DFL_NO_EXPR: none ... */
    int wanted;   /* ... how often it must happen ... */
    int event;    /* ... and its declaration */
} dfl_measure;

/* expr <= 0, or expr = 0. */
typedef struct dfl_limit {
    dfl_expr expr;
    bool equal;
} dfl_limit;

/* An output or variable that is to follow measured values. */
typedef struct dfl_measured {
    char *name;
    int count;
    double *time, *value; /* count each, one block of memory */
    double weight;
} dfl_measured;

typedef struct dfl_goals {
    int line; /* of optimize{}; 0: there is none */
    DFL_LIST(dfl_varied) varied;
    DFL_LIST(dfl_measure) measures;
    DFL_LIST(dfl_measured) measured;
    DFL_LIST(dfl_limit) limits;
    dfl_expr minimize; /* DFL_NO_EXPR: none */
    double tolerance;  /* NAN: the default */
} dfl_goals;

/* Each adds one; texts are copied. `time` and `value` have `count` numbers. */
dfl_status dfl_model_vary(struct dfl_model *model, const char *name, double low, double high);
dfl_status dfl_model_measure(dfl_expr *out, struct dfl_model *model, int line, dfl_expr expr,
                             double t);
/* The largest value of `expr` in the run; the time at which event `name` happens for the k-th time.
   DFL_INVALID: there is no such event, it is an impact, or it ends the run. */
dfl_status dfl_model_peak(dfl_expr *out, struct dfl_model *model, int line, dfl_expr expr);
dfl_status dfl_model_event_time(dfl_expr *out, struct dfl_model *model, int line, const char *name,
                                int k);
dfl_status dfl_model_subject(struct dfl_model *model, dfl_expr expr, bool equal);
dfl_status dfl_model_measured(struct dfl_model *model, const char *name, const double *time,
                              const double *value, int count, double weight);
void dfl_goals_clear(dfl_goals *goals, dfl_context *ctx);

#endif
