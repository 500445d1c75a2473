/* solver_type.c: the solver for equations that are Python functions (driftless/solver.h). */
#include "solver_type.h"

#include <string.h>

static const char *const buffer_names[BUFFERS] = {
    "x",    "a",      "f",       "b",       "g",       "gI",    "W",      "bias",
    "mass", "events", "jac_acc", "jac_vel", "jac_pos", "jac_b", "jac_dyn"};

/* ------------------------------------------------------------------------------- life */

static int make_buffers(solver_object *it)
{
    const size_t np = (size_t)it->eom.np, nv = (size_t)it->eom.nv, nr = (size_t)it->eom.nr,
                 nl = (size_t)it->eom.nl, n = nl + nr + nv + np;
    const size_t sizes[BUFFERS] = {n,
                                   nv,
                                   nv,
                                   nr,
                                   nl,
                                   nl,
                                   nl * nv,
                                   nl,
                                   it->eom.mass_diagonal ? nv : nv * nv,
                                   (size_t)it->options.events.count,
                                   nl * n,
                                   nl * (nv + np),
                                   nl * np,
                                   nr * n,
                                   nv * n};
    for (int i = 0; i < BUFFERS; i++) {
        it->size[i] = sizes[i];
        it->buffer[i] = dfl_py_buffer(sizes[i]);
        if (!it->buffer[i])
            return -1;
        it->at[i] = dfl_py_buffer_values(it->buffer[i]);
    }
    return 0;
}

static PyObject *given(PyObject *function)
{
    return function == Py_None ? NULL : Py_NewRef(function);
}

/* kinds: pairs (direction, how many stop the run; 0: none does); atol: bytes, one number for each
   unknown, or None */
static int take_options(solver_object *it, PyObject *kinds, PyObject *atol)
{
    char *bytes;
    Py_ssize_t length;
    if (atol != Py_None) {
        if (PyBytes_AsStringAndSize(atol, &bytes, &length))
            return -1;
        if ((size_t)length != it->size[X] * sizeof(double)) {
            PyErr_SetString(dfl_py_error, "atol has a wrong number of values");
            return -1;
        }
        it->kept_atol = Py_NewRef(atol);
        it->options.error.atol_each = (const double *)(const void *)bytes;
    }
    const Py_ssize_t count = PySequence_Size(kinds);
    dfl_event_kind *own = count < 0 ? NULL : PyMem_Calloc((size_t)count + 1, sizeof *own);
    it->options.events.kinds = own;
    it->most = count < 0 ? NULL : PyMem_Calloc(2 * ((size_t)count + 1), sizeof *it->most);
    if (!own || !it->most)
        return -1;
    it->left = it->most + count + 1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *kind = PySequence_GetItem(kinds, i);
        const int ok = kind && PyArg_ParseTuple(kind, "il", &own[i].direction, &it->most[i]);
        own[i].terminal = it->most[i] == 1;
        Py_XDECREF(kind);
        if (!ok)
            return -1;
    }
    return 0;
}

static dfl_status choose(solver_object *it, const char *form, const char *method)
{
    int i = 0, k = 0;
    while (i < DFL_FORMS && strcmp(dfl_form_name((dfl_form)i), form) != 0)
        i++;
    while (k < DFL_INTEGRATORS && strcmp(dfl_integrator_name((dfl_integrator)k), method) != 0)
        k++;
    if (i == DFL_FORMS)
        return dfl_fail(it->ctx, DFL_INVALID, "there is no form '%s'; the default is psf", form);
    if (k == DFL_INTEGRATORS)
        return dfl_fail(it->ctx, DFL_INVALID,
                        "there is no method '%s'; choose radau (the default) or bdf", method);
    it->options.form = (dfl_form)i;
    it->options.integrator = (dfl_integrator)k;
    return DFL_OK;
}

static int solver_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"np",   "nv",   "nr",     "nl",    "diagonal", "constant", "eval",
                            "mass", "jac",  "events", "kinds", "rtol",     "atol",     "first",
                            "max",  "form", "method", "check", NULL};
    solver_object *it = (solver_object *)self;
    dfl_eom *eom = &it->eom;
    dfl_solver_options *o = &it->options;
    PyObject *fun, *mass_fun, *jac, *event_fun, *kinds, *atol;
    const char *form, *method;
    int diagonal, constant, check;
    if (it->ctx) {
        PyErr_SetString(dfl_py_error, "a solver is made once");
        return -1;
    }
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "iiiippOOOOOdOddssp", names, &eom->np,
                                     &eom->nv, &eom->nr, &eom->nl, &diagonal, &constant, &fun,
                                     &mass_fun, &jac, &event_fun, &kinds, &o->rtol, &atol,
                                     &o->step.first, &o->step.max, &form, &method, &check))
        return -1;
    eom->mass_diagonal = diagonal != 0;
    eom->mass_constant = constant != 0;
    o->self_check = check != 0;
    o->events.count = (int)PySequence_Size(kinds);
    it->eval = given(fun), it->mass = given(mass_fun);
    it->jacobian = given(jac), it->events = given(event_fun);
    if (PyErr_Occurred() || eom->np < 0 || eom->nv < 0 || eom->nr < 0 || eom->nl < 0 ||
        make_buffers(it) || take_options(it, kinds, atol)) {
        if (!PyErr_Occurred())
            PyErr_SetString(dfl_py_error, "a size is negative");
        return -1;
    }
    dfl_py_connect(it);
    it->ctx = dfl_context_create();
    dfl_status status = it->ctx ? choose(it, form, method) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_solver_create(&it->solver, it->ctx, &it->eom, &it->options);
    if (status)
        dfl_py_raise(it->ctx, status);
    return status ? -1 : 0;
}

static int solver_traverse(PyObject *self, visitproc visit, void *arg)
{
    const solver_object *it = (solver_object *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(it->eval);
    Py_VISIT(it->mass);
    Py_VISIT(it->jacobian);
    Py_VISIT(it->events);
    return 0;
}

/* Without its functions the solver cannot run. */
static int solver_clear(PyObject *self)
{
    solver_object *it = (solver_object *)self;
    dfl_solver_free(it->solver);
    it->solver = NULL;
    Py_CLEAR(it->eval);
    Py_CLEAR(it->mass);
    Py_CLEAR(it->jacobian);
    Py_CLEAR(it->events);
    return 0;
}

static void solver_dealloc(PyObject *self)
{
    solver_object *it = (solver_object *)self;
    PyObject_GC_UnTrack(self);
    solver_clear(self);
    dfl_context_free(it->ctx);
    PyMem_Free((void *)it->options.events.kinds);
    PyMem_Free(it->most);
    PyMem_Free(it->rows);
    PyMem_Free(it->steps);
    for (int i = 0; i < BUFFERS; i++)
        Py_XDECREF(it->buffer[i]);
    Py_XDECREF(it->kept_atol);
    Py_XDECREF(it->met);
    dfl_py_free_object(self);
}

/* ------------------------------------------------------------------------------- runs */

static PyObject *solver_buffers(PyObject *self, PyObject *none)
{
    const solver_object *it = (solver_object *)self;
    PyObject *all = PyDict_New();
    (void)none;
    for (int i = 0; all && i < BUFFERS; i++)
        if (it->buffer[i] && PyDict_SetItemString(all, buffer_names[i], it->buffer[i]))
            Py_CLEAR(all);
    return all;
}

static PyObject *outcome(const solver_object *it, dfl_status status)
{
    const dfl_statistics s = dfl_solver_statistics(it->solver);
    const dfl_residuals r = s.max_residual;
    return Py_BuildValue(
        "{sssssNsnsNsOsdsdsdslslsl}", "status", dfl_status_name(status), "message",
        status ? dfl_message(it->ctx) : "", "rows",
        dfl_py_numbers(it->nrows * (it->size[X] + 1), it->rows), "count", (Py_ssize_t)it->nrows,
        "dense", dfl_py_numbers(it->nsteps * (2 + (size_t)it->nodes * it->size[X]), it->steps),
        "events", it->met, "position", r.position, "velocity", r.velocity, "acceleration",
        r.acceleration, "steps", s.accepted, "jacobians", s.jacobians, "decompositions",
        s.differential_decompositions);
}

static dfl_status go(solver_object *it, double t0, const double *x0, double t_end)
{
    const dfl_status status = dfl_solver_start(it->solver, t0, x0, NULL);
    return status ? status : dfl_solver_advance(it->solver, t_end);
}

/* What the run needs, in one block that the caller frees: x0, times, nodes. NULL: no memory. */
static double *prepare(solver_object *it, const Py_buffer *x0, const Py_buffer *times,
                       const Py_buffer *nodes)
{
    const size_t n = it->size[X], nwanted = (size_t)times->len / sizeof(double),
                 nnodes = (size_t)nodes->len / sizeof(double);
    double *start = PyMem_Calloc(n + nwanted + nnodes + 1, sizeof *start);
    Py_CLEAR(it->met);
    it->met = PyList_New(0);
    if (!start || !it->met) {
        PyMem_Free(start);
        return NULL;
    }
    memcpy(start, x0->buf, n * sizeof *start);
    if (nwanted > 0)
        memcpy(start + n, times->buf, nwanted * sizeof *start);
    if (nnodes > 0)
        memcpy(start + n + nwanted, nodes->buf, nnodes * sizeof *start);
    for (int i = 0; i < it->options.events.count; i++)
        it->left[i] = it->most[i];
    it->wanted = times->buf ? start + n : NULL;
    it->nwanted = (int)nwanted;
    it->nodes = (int)nnodes;
    it->node = start + n + nwanted;
    it->next = 0, it->nrows = it->nsteps = 0;
    return start;
}

/* run(t0, bytes of x0, t_end, bytes of times or None, bytes of nodes or None) */
static PyObject *solver_run(PyObject *self, PyObject *args)
{
    solver_object *it = (solver_object *)self;
    double t0, t_end, *start = NULL;
    Py_buffer x0 = {0}, times = {0}, nodes = {0};
    dfl_status status = DFL_INVALID;
    if (!PyArg_ParseTuple(args, "dy*dz*z*", &t0, &x0, &t_end, &times, &nodes))
        return NULL;
    if (!it->solver || it->busy || (size_t)x0.len != it->size[X] * sizeof(double))
        PyErr_SetString(dfl_py_error, it->busy ? "the solver is running"
                                               : "the solver was not made, or x0 has a wrong size");
    else if (!(start = prepare(it, &x0, &times, &nodes)))
        PyErr_NoMemory();
    else {
        it->direction = t_end < t0 ? -1 : 1;
        it->busy = 1;
        status = go(it, t0, start, t_end);
        it->busy = 0;
        it->wanted = it->node = NULL;
    }
    PyMem_Free(start);
    PyBuffer_Release(&x0);
    PyBuffer_Release(&times);
    PyBuffer_Release(&nodes);
    return PyErr_Occurred() ? NULL : outcome(it, status);
}

/* What there is of a run that an exception has ended. */
static PyObject *solver_found(PyObject *self, PyObject *none)
{
    const solver_object *it = (solver_object *)self;
    (void)none;
    if (it->solver && it->met && !it->busy)
        return outcome(it, DFL_CALLBACK);
    PyErr_SetString(dfl_py_error, "the solver has not run");
    return NULL;
}

static PyMethodDef methods[] = {
    {"buffers", solver_buffers, METH_NOARGS, "What the functions read and write, by name."},
    {"run", solver_run, METH_VARARGS, "From t0 and x0 to t_end; rows at times, or at every step."},
    {"found", solver_found, METH_NOARGS, "What there is of a run that an exception has ended."},
    {NULL, NULL, 0, NULL}};

PyObject *dfl_py_make_solver_type(void)
{
    static PyType_Slot slots[] = {{Py_tp_init, (void *)solver_init},
                                  {Py_tp_dealloc, (void *)solver_dealloc},
                                  {Py_tp_traverse, (void *)solver_traverse},
                                  {Py_tp_clear, (void *)solver_clear},
                                  {Py_tp_methods, methods},
                                  {Py_tp_doc, "Equations as Python functions."},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "driftless._library.Solver",
                               .basicsize = sizeof(solver_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                               .slots = slots};
    return PyType_FromSpec(&spec);
}
