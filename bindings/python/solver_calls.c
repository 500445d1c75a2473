/* solver_calls.c: what the solver calls: functions of Python, and rows that are kept. */
#include "solver_type.h"

#include <string.h>

/* ------------------------------------------------------------------------------- functions */

static int call(PyObject *function, PyObject *arguments)
{
    PyObject *answer = arguments ? PyObject_CallObject(function, arguments) : NULL;
    Py_XDECREF(arguments);
    Py_XDECREF(answer);
    return answer ? 0 : -1;
}

static void put(double *out, const solver_object *it, int buffer)
{
    if (out)
        memcpy(out, it->at[buffer], it->size[buffer] * sizeof *out);
}

static void set_x(solver_object *it, const double *x)
{
    memcpy(it->at[X], x, it->size[X] * sizeof *x);
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    solver_object *it = user;
    if (PyErr_Occurred())
        return -1;
    set_x(it, x);
    if (call(it->eval, Py_BuildValue("(Id)", need, t)))
        return -1;
    if (need & DFL_FORCE)
        put(out->f, it, FORCE);
    if (need & DFL_DYNAMIC)
        put(out->b, it, RATE);
    if (need & DFL_POSITION)
        put(out->g, it, G);
    if (need & DFL_VELOCITY)
        put(out->gI, it, GI);
    if (need & DFL_DIRECTIONS)
        put(out->W, it, W);
    if (need & DFL_BIAS)
        put(out->bias, it, BIAS);
    return 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    solver_object *it = user;
    if (PyErr_Occurred())
        return -1;
    set_x(it, x);
    if (call(it->mass, Py_BuildValue("(d)", t)))
        return -1;
    put(M, it, MASS);
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    solver_object *it = user;
    if (PyErr_Occurred())
        return -1;
    set_x(it, x);
    if (a && it->size[A] > 0)
        memcpy(it->at[A], a, it->size[A] * sizeof *a);
    if (call(it->jacobian, Py_BuildValue("(d)", t)))
        return -1;
    put(out->acc, it, J_ACC);
    put(out->vel, it, J_VEL);
    put(out->pos, it, J_POS);
    put(out->b, it, J_B);
    put(out->dyn, it, J_DYN);
    return 0;
}

static int events(double *value, double t, const double *x, void *user)
{
    solver_object *it = user;
    if (PyErr_Occurred())
        return -1;
    set_x(it, x);
    if (call(it->events, Py_BuildValue("(d)", t)))
        return -1;
    put(value, it, EVENTS);
    return 0;
}

static int on_event(int event, int direction, double t, const double *x, void *user)
{
    solver_object *it = user;
    (void)direction;
    PyObject *item = Py_BuildValue("(idN)", event, t, dfl_py_numbers(it->size[X], x));
    const int failed = !item || PyList_Append(it->met, item);
    Py_XDECREF(item);
    return failed || (it->left[event] > 0 && --it->left[event] == 0);
}

/* ------------------------------------------------------------------------------- rows */

/* Room for one more record of some numbers; NULL: none. */
static double *new_record(double **records, size_t *count, size_t *room, size_t width)
{
    if (*count == *room) {
        const size_t more = *room ? 2 * *room : 64;
        double *grown = PyMem_Realloc(*records, more * width * sizeof *grown);
        if (!grown) {
            PyErr_NoMemory();
            return NULL;
        }
        *records = grown;
        *room = more;
    }
    return *records + (*count)++ * width;
}

static double *new_row(solver_object *it, double t)
{
    double *row = new_record(&it->rows, &it->nrows, &it->room, it->size[X] + 1);
    if (row)
        *row++ = t;
    return row;
}

/* The states at the nodes determine the polynomial of the step. */
static int keep_step(solver_object *it, dfl_solver *solver, double t_old, double t, const double *x)
{
    const size_t n = it->size[X];
    double *to = new_record(&it->steps, &it->nsteps, &it->room_of_steps, 2 + (size_t)it->nodes * n);
    if (!to)
        return 1;
    to[0] = t_old, to[1] = t;
    to += 2;
    for (int i = 0; i < it->nodes - 1; i++, to += n)
        if (dfl_solver_interpolate(to, solver, t_old + (t - t_old) * (1 + it->node[i]) / 2, false))
            return 1;
    memcpy(to, x, n * sizeof *x);
    return 0;
}

/* After every step: the step, or the wanted times inside it. */
static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    solver_object *it = user;
    double *row;
    if (PyErr_CheckSignals() || (it->nodes > 0 && t != t_old && keep_step(it, solver, t_old, t, x)))
        return 1;
    if (!it->wanted) {
        row = new_row(it, t);
        if (row)
            memcpy(row, x, it->size[X] * sizeof *x);
        return !row;
    }
    for (; it->next < it->nwanted; it->next++) {
        const double wanted = it->wanted[it->next];
        if ((wanted - t) * it->direction > 0)
            return 0;
        row = new_row(it, wanted);
        if (!row)
            return 1;
        if (wanted == t)
            memcpy(row, x, it->size[X] * sizeof *x);
        else if (dfl_solver_interpolate(row, solver, wanted, it->eom.nl > 0))
            return 1;
    }
    return 0;
}

void dfl_py_connect(solver_object *it)
{
    it->eom.eval = eval;
    it->eom.mass = it->mass ? mass : NULL;
    it->eom.jacobian = it->jacobian ? jacobian : NULL;
    it->eom.trivial_kinematics = true;
    it->eom.forces_free_of_multipliers = true;
    it->eom.user = it;
    it->options.user = it;
    it->options.output.on_step = on_step;
    if (it->options.events.count > 0) {
        it->options.events.eval = events;
        it->options.events.on_event = on_event;
    }
}
