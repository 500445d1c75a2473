/* near_type.c: a model near a state (dfl_near): linear equations, modes, responses, feedback. */
#include "library.h"

#include <string.h>

typedef struct near_object {
    PyObject_HEAD dfl_context *ctx;
    dfl_near *near;
} near_object;

static dfl_status find(near_object *it, const dfl_model *model, const dfl_near_options *options,
                       int search)
{
    it->ctx = dfl_context_create();
    if (!it->ctx)
        return DFL_NO_MEMORY;
    PyThreadState *state = PyEval_SaveThread();
    const dfl_status status = search ? dfl_model_equilibrium(&it->near, it->ctx, model, options)
                                     : dfl_model_linearize(&it->near, it->ctx, model, options);
    PyEval_RestoreThread(state);
    return status;
}

static int near_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"model",  "search", "settings", "at",
                            "steady", "inputs", "outputs",  NULL};
    near_object *it = (near_object *)self;
    PyObject *model, *settings, *kept = NULL;
    int search;
    dfl_near_options options = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OpOzzzz", names, &model, &search, &settings,
                                     &options.at, &options.steady, &options.inputs,
                                     &options.outputs))
        return -1;
    const dfl_model *which = dfl_py_model(model);
    if (which && it->ctx)
        PyErr_SetString(dfl_py_error, "an analysis is made once");
    if (!which || it->ctx)
        return -1;
    const char **texts = dfl_py_texts(&options.nsettings, &kept, settings);
    options.settings = texts;
    const dfl_status status = texts ? find(it, which, &options, search) : DFL_NO_MEMORY;
    if (status)
        dfl_py_raise(it->ctx, status);
    PyMem_Free(texts);
    Py_XDECREF(kept);
    return status ? -1 : 0;
}

static void near_dealloc(PyObject *self)
{
    near_object *it = (near_object *)self;
    dfl_near_free(it->near);
    dfl_context_free(it->ctx);
    dfl_py_free_object(self);
}

static const dfl_near_report *report_of(PyObject *self)
{
    const near_object *it = (near_object *)self;
    if (!it->near)
        PyErr_SetString(dfl_py_error, "the analysis was not made");
    return it->near ? dfl_near_about(it->near) : NULL;
}

static PyObject *matrix(int rows, int columns, const double *values)
{
    return dfl_py_numbers((size_t)rows * (size_t)columns, values);
}

/* Everything in the report; matrices as bytes, column by column. */
static PyObject *near_about(PyObject *self, PyObject *none)
{
    static const char *const kinds[] = {"equilibrium", "steady", "frozen"};
    const dfl_near_report *r = report_of(self);
    (void)none;
    if (!r)
        return NULL;
    const dfl_linear_equations *e = &r->equations;
    return Py_BuildValue("{sdsssisdsNsNsNsNsNsNsNsNsNsN}", "t", r->t, "kind", kinds[r->kind],
                         "iterations", r->equilibrium.iterations, "residual",
                         r->equilibrium.residual, "states", dfl_py_names(e->ny, r->states),
                         "inputs", dfl_py_names(e->nu, r->inputs), "outputs",
                         dfl_py_names(e->no, r->outputs), "A", matrix(e->ny, e->ny, e->A), "B",
                         matrix(e->ny, e->nu, e->B), "C", matrix(e->no, e->ny, e->C), "D",
                         matrix(e->no, e->nu, e->D), "names", dfl_py_names(r->nvalues, r->names),
                         "values", dfl_py_numbers((size_t)r->nvalues, r->values), "positions",
                         dfl_py_names(r->npositions, r->positions));
}

/* [(re, im, hz, damping), ...] */
static PyObject *mode_list(const dfl_modes *modes)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < modes->count; i++) {
        const dfl_mode *m = &modes->mode[i];
        PyObject *item = Py_BuildValue("(dddd)", m->re, m->im, m->hz, m->damping);
        if (!item || PyList_Append(list, item))
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* The shapes of all modes: real and imaginary parts of all positions, mode after mode. */
static PyObject *shapes(const near_object *it, const dfl_modes *modes, int npositions)
{
    const size_t size = (size_t)npositions * (size_t)modes->count;
    double *re = PyMem_Calloc(2 * size + 1, sizeof *re);
    if (!re)
        return PyErr_NoMemory();
    for (int i = 0; i < modes->count; i++)
        dfl_near_shape(re + i * npositions, re + size + i * npositions, it->near, modes, i);
    PyObject *out = dfl_py_numbers(2 * size, re);
    PyMem_Free(re);
    return out;
}

/* (modes, unstable, indifferent, shapes, why they do not judge the state or None) */
static PyObject *near_modes(PyObject *self, PyObject *none)
{
    near_object *it = (near_object *)self;
    const dfl_near_report *r = report_of(self);
    dfl_modes modes = {0};
    (void)none;
    if (!r)
        return NULL;
    const dfl_status status = dfl_near_modes(&modes, it->near);
    PyObject *out =
        status ? dfl_py_raise(it->ctx, status)
               : Py_BuildValue("(NiiNz)", mode_list(&modes), modes.unstable, modes.indifferent,
                               shapes(it, &modes, r->npositions), r->changing ? r->why : NULL);
    dfl_modes_clear(&modes);
    return out;
}

/* response(omega as bytes): real parts, then imaginary parts, outputs x inputs for each frequency
 */
static PyObject *near_response(PyObject *self, PyObject *frequencies)
{
    near_object *it = (near_object *)self;
    const dfl_near_report *r = report_of(self);
    char *bytes;
    Py_ssize_t length;
    if (!r || PyBytes_AsStringAndSize(frequencies, &bytes, &length))
        return NULL;
    const int count = (int)((size_t)length / sizeof(double));
    const size_t size = (size_t)count * (size_t)r->equations.no * (size_t)r->equations.nu;
    double *omega = PyMem_Malloc((size_t)length + 1);
    double *re = PyMem_Calloc(2 * size + 1, sizeof *re);
    dfl_status status = DFL_NO_MEMORY;
    if (omega && re) {
        memcpy(omega, bytes, (size_t)length);
        status = dfl_frequency_response(re, re + size, NULL, it->ctx, &r->equations, omega, count);
    }
    PyObject *out = status ? dfl_py_raise(it->ctx, status) : dfl_py_numbers(2 * size, re);
    PyMem_Free(omega);
    PyMem_Free(re);
    return out;
}

/* lqr(state_weight, input_weight): (K, poles, unreached, unshown) */
static PyObject *near_lqr(PyObject *self, PyObject *args)
{
    near_object *it = (near_object *)self;
    const dfl_near_report *r = report_of(self);
    const char *state_weight, *input_weight;
    dfl_modes poles = {0};
    int unreached = 0, unshown = 0;
    if (!r || !PyArg_ParseTuple(args, "zz", &state_weight, &input_weight))
        return NULL;
    const size_t size = (size_t)r->equations.nu * (size_t)r->equations.ny;
    double *K = PyMem_Calloc(size + 1, sizeof *K);
    const dfl_status status =
        K ? dfl_near_lqr(K, &poles, &unreached, &unshown, it->near, state_weight, input_weight)
          : DFL_NO_MEMORY;
    PyObject *out = status ? dfl_py_raise(it->ctx, status)
                           : Py_BuildValue("(NNii)", dfl_py_numbers(size, K), mode_list(&poles),
                                           unreached, unshown);
    dfl_modes_clear(&poles);
    PyMem_Free(K);
    return out;
}

static PyMethodDef methods[] = {
    {"about", near_about, METH_NOARGS, "The linear equations and the values there."},
    {"modes", near_modes, METH_NOARGS, "Eigenvalues and shapes."},
    {"response", near_response, METH_O, "The frequency response at these frequencies."},
    {"lqr", near_lqr, METH_VARARGS, "State feedback."},
    {NULL, NULL, 0, NULL}};

PyObject *dfl_py_make_near_type(void)
{
    static PyType_Slot slots[] = {{Py_tp_init, (void *)near_init},
                                  {Py_tp_dealloc, (void *)near_dealloc},
                                  {Py_tp_methods, methods},
                                  {Py_tp_doc, "A model near a state."},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "driftless._library.Near",
                               .basicsize = sizeof(near_object),
                               .flags = Py_TPFLAGS_DEFAULT,
                               .slots = slots};
    return PyType_FromSpec(&spec);
}
