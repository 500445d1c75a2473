/* driftless/gradient.h: how a trajectory changes with parameters and initial values.

   The solver follows, beside the state x, its derivatives X_k = dx/dtheta_k: those of the discrete
   solution for its own steps and selectors, so that the constraints are differentiated along
   (G p_theta + g_theta = 0 at every step). */
#ifndef DFL_GRADIENT_H
#define DFL_GRADIENT_H

#include <driftless/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* After a start: follows the derivatives with respect to the parameters from the present time on.
   `start` (n x count): the derivatives of the present state. Those of positions and velocities are
   moved onto the differentiated constraints by the least change, those of the other unknowns follow
   from them. What `parameters` points to must outlive the solver. The derivatives end with the next
   start or restored state. DFL_INVALID: the solver has another form than psf, another method than
   Radau IIA and BDF, sparse matrices, or GEOMS's contract. Without `jacobian` derivatives are those
   of the model to about 1e-7, as its rows are differenced. DFL_SINGULAR, DFL_CALLBACK,
   DFL_NOT_FINITE, DFL_NO_MEMORY. */
dfl_status dfl_solver_follow(dfl_solver *solver, const dfl_parameters *parameters,
                             const double *start);

/* After dfl_solver_follow: whether the steps are chosen for the errors of the derivatives, too, as
   they are unless this says otherwise. */
void dfl_solver_control_derivatives(dfl_solver *solver, bool controlled);

/* Parameters of a model without derivatives by them: central differences of its rows, to about
   1e-9, with `move`. `size` (count, NULL: 1) is copied. The model must outlive it, and it the
   solver. For `dfl_solver_follow` of a model without switching functions and without time in its
   rows. DFL_INVALID: no parameters, or a model in GEOMS's contract, without bias or with sparse
   matrices. DFL_NO_MEMORY. */
typedef struct dfl_parameter_differences dfl_parameter_differences;
dfl_status dfl_parameter_differences_create(dfl_parameter_differences **out, dfl_context *ctx,
                                            const dfl_eom *eom, int count, const double *size,
                                            dfl_move_fn move, void *user);
const dfl_parameters *dfl_parameter_differences_of(const dfl_parameter_differences *differences);
/* NULL is allowed. */
void dfl_parameter_differences_free(dfl_parameter_differences *differences);

/* At the last accepted step; owned by the solver. */
typedef struct dfl_derivatives {
    const double *x;             /* n x count: of the state; NULL if none are followed */
    const double *a;             /* nv x count: of the accelerations v' */
    const double *accelerations; /* nv: v' itself */
    int redundant; /* constraints; if there are any, derivatives of multipliers are not determined
                    */
} dfl_derivatives;
dfl_derivatives dfl_solver_derivatives(dfl_solver *solver);

/* rates (n): x' of all unknowns at the last accepted step. DFL_INVALID: derivatives are not
   followed, or the run has ended at an event inside a step. DFL_SINGULAR, DFL_CALLBACK,
   DFL_NOT_FINITE. */
dfl_status dfl_solver_rates(double *rates, dfl_solver *solver);

/* Gradients by one sweep backwards, for few values and many parameters. After dfl_solver_follow,
   along a direction for instance, whose derivatives the steps are chosen for: records the run from
   the present time on for the derivatives by `parameters`, of which `start` (n x count) are those
   of the present state. The first `spare` of them are none, nothing depends on them: at least
   dfl_solver_spare columns that serve to pass instants at which branches change or the state jumps.
   Steps are kept, about n (1 + stages) numbers each. Statuses of dfl_solver_follow; DFL_INVALID
   also with BDF, whose steps depend on earlier ones. */
int dfl_solver_spare(const dfl_solver *solver, const dfl_parameters *parameters);
dfl_status dfl_solver_record(dfl_solver *solver, const dfl_parameters *parameters, int spare,
                             const double *start);

/* At the present time: the derivatives of objective k (0, 1, ...) contain x^T X, a^T A and memory^T
   (memory by the parameters) from here, x being n weights, a nv or NULL, memory parameters->nmemory
   or NULL. */
dfl_status dfl_solver_weigh(dfl_solver *solver, int objective, const double *x, const double *a,
                            const double *memory);

/* gradient (objectives x (count - spare)) += the derivatives of all objectives: equal to those of
   the direct method up to rounding. The run may go on afterwards. */
dfl_status dfl_solver_sweep(double *gradient, dfl_solver *solver, int objectives);

/* Memory for the record, 1 GiB unless said: steps beyond it go to a temporary file. */
void dfl_solver_record_limit(dfl_solver *solver, size_t bytes);

/* The bytes of memory that the record takes. */
size_t dfl_solver_recorded(const dfl_solver *solver);

#ifdef __cplusplus
}
#endif
#endif
