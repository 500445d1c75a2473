/* sweep_type.c: many runs of one model (driftless/sweep.h) on threads of the library. */
#include "library.h"

#include <driftless/sweep.h>

#include <string.h>

enum { OVER, SAMPLE, SETTINGS, LISTS };

typedef struct sweep_object {
    PyObject_HEAD dfl_context *ctx;
    dfl_sweep *sweep;
    PyObject *model, *texts; /* texts and model must outlive the sweep */
    const char **list[LISTS];
    PyObject *kept[LISTS];
} sweep_object;

/* The options that are texts, by their names. */
static int take_texts(dfl_sweep_options *options, PyObject *given)
{
    const struct {
        const char *name;
        const char **field;
    } texts[] = {{"design", &options->design},
                 {"cases", &options->cases},
                 {"columns", &options->columns},
                 {"output", &options->output},
                 {"resume", &options->resume}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        PyObject *value = PyDict_GetItemString(given, texts[i].name);
        *texts[i].field = value ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
        if (value && !*texts[i].field)
            return -1;
    }
    return 0;
}

static int take_lists(sweep_object *it, dfl_sweep_options *options, PyObject *const lists[LISTS])
{
    int *const counts[LISTS] = {&options->nover, &options->nsample, &options->nsettings};
    for (int i = 0; i < LISTS; i++) {
        it->list[i] = dfl_py_texts(counts[i], &it->kept[i], lists[i]);
        if (!it->list[i])
            return -1;
    }
    options->over = it->list[OVER];
    options->sample = it->list[SAMPLE];
    options->settings = it->list[SETTINGS];
    return 0;
}

static int sweep_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"model", "over",    "sample", "settings", "texts", "count",
                            "seed",  "seconds", "memory", "replace",  NULL};
    sweep_object *it = (sweep_object *)self;
    PyObject *model, *lists[LISTS], *texts;
    dfl_sweep_options options = {0};
    int replace = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOOO!dddd|p", names, &model, &lists[OVER],
                                     &lists[SAMPLE], &lists[SETTINGS], &PyDict_Type, &texts,
                                     &options.count, &options.seed, &options.case_seconds,
                                     &options.case_memory, &replace))
        return -1;
    options.replace = replace != 0;
    const dfl_model *which = dfl_py_model(model);
    if (which && it->ctx)
        PyErr_SetString(dfl_py_error, "a sweep is made once");
    if (!which || it->ctx)
        return -1;
    it->ctx = dfl_context_create();
    it->model = Py_NewRef(model);
    it->texts = PyDict_Copy(texts);
    if (!it->ctx || !it->texts || take_texts(&options, it->texts) ||
        take_lists(it, &options, lists)) {
        dfl_py_raise(it->ctx, DFL_NO_MEMORY);
        return -1;
    }
    PyThreadState *state = PyEval_SaveThread();
    const dfl_status status = dfl_sweep_create(&it->sweep, it->ctx, which, &options);
    PyEval_RestoreThread(state);
    if (status)
        dfl_py_raise(it->ctx, status);
    return status ? -1 : 0;
}

static void sweep_dealloc(PyObject *self)
{
    sweep_object *it = (sweep_object *)self;
    PyThreadState *state = PyEval_SaveThread();
    dfl_sweep_free(it->sweep);
    PyEval_RestoreThread(state);
    dfl_context_free(it->ctx);
    for (int i = 0; i < LISTS; i++) {
        PyMem_Free(it->list[i]);
        Py_XDECREF(it->kept[i]);
    }
    Py_XDECREF(it->model);
    Py_XDECREF(it->texts);
    dfl_py_free_object(self);
}

static dfl_sweep *made(PyObject *self)
{
    dfl_sweep *sweep = ((sweep_object *)self)->sweep;
    if (!sweep)
        PyErr_SetString(dfl_py_error, "the sweep was not made");
    return sweep;
}

static PyObject *sweep_start(PyObject *self, PyObject *args)
{
    dfl_sweep *sweep = made(self);
    int threads;
    if (!sweep || !PyArg_ParseTuple(args, "i", &threads))
        return NULL;
    return dfl_py_done(((sweep_object *)self)->ctx, dfl_sweep_start(sweep, threads));
}

static PyObject *sweep_wait(PyObject *self, PyObject *args)
{
    dfl_sweep *sweep = made(self);
    double seconds;
    if (!sweep || !PyArg_ParseTuple(args, "d", &seconds))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    const bool ended = dfl_sweep_wait(sweep, seconds);
    PyEval_RestoreThread(state);
    return PyBool_FromLong(ended);
}

/* The name of the status: some cases may be missing. */
static PyObject *sweep_finish(PyObject *self, PyObject *none)
{
    dfl_sweep *sweep = made(self);
    (void)none;
    if (!sweep)
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    const dfl_status status = dfl_sweep_finish(sweep);
    PyEval_RestoreThread(state);
    if (status && status != DFL_STOPPED)
        return dfl_py_raise(((sweep_object *)self)->ctx, status);
    return PyUnicode_FromString(dfl_status_name(status));
}

static PyObject *sweep_stop(PyObject *self, PyObject *none)
{
    dfl_sweep *sweep = made(self);
    (void)none;
    if (!sweep)
        return NULL;
    dfl_sweep_stop(sweep);
    Py_RETURN_NONE;
}

/* (cases, done, failed, the first that failed, its message, seconds, path) */
static PyObject *sweep_so_far(PyObject *self, PyObject *none)
{
    dfl_sweep *sweep = made(self);
    (void)none;
    if (!sweep)
        return NULL;
    const dfl_sweep_progress p = dfl_sweep_so_far(sweep);
    return Py_BuildValue("(llllzdz)", p.cases, p.done, p.failed, p.first_failed, p.message,
                         p.seconds, p.path);
}

/* (names of columns, how many of them are parameters) */
static PyObject *sweep_columns(PyObject *self, PyObject *none)
{
    dfl_sweep *sweep = made(self);
    const char *const *names;
    int parameters;
    (void)none;
    if (!sweep)
        return NULL;
    const int count = dfl_sweep_columns(sweep, &names, &parameters);
    return Py_BuildValue("(Ni)", dfl_py_names(count, names), parameters);
}

/* (numbers, row by row; states; messages) */
static PyObject *sweep_rows(PyObject *self, PyObject *none)
{
    dfl_sweep *sweep = made(self);
    const char *const *names;
    int parameters;
    (void)none;
    if (!sweep)
        return NULL;
    const size_t columns = (size_t)dfl_sweep_columns(sweep, &names, &parameters);
    const long cases = dfl_sweep_so_far(sweep).cases;
    double *values = PyMem_Calloc((size_t)cases * columns + 1, sizeof *values);
    PyObject *states = PyList_New(cases), *messages = PyList_New(cases), *numbers = NULL;
    int good = values && states && messages;
    for (long i = 0; good && i < cases; i++) {
        const char *message = NULL;
        const int found = dfl_sweep_row(values + (size_t)i * columns, sweep, i, &message);
        PyObject *state = PyLong_FromLong(found),
                 *text = PyUnicode_FromString(message ? message : "");
        good = state && text;
        PyList_SetItem(states, i, state); /* takes them, also NULL */
        PyList_SetItem(messages, i, text);
    }
    if (good)
        numbers = dfl_py_numbers((size_t)cases * columns, values);
    else if (!PyErr_Occurred())
        PyErr_NoMemory();
    PyMem_Free(values);
    if (numbers)
        return Py_BuildValue("(NNN)", numbers, states, messages);
    Py_XDECREF(states);
    Py_XDECREF(messages);
    return NULL;
}

/* The parts of the variance of result `number`: alone, and with interactions. */
static PyObject *sweep_sensitivity(PyObject *self, PyObject *args)
{
    dfl_sweep *sweep = made(self);
    const char *const *names;
    int result, parameters;
    if (!sweep || !PyArg_ParseTuple(args, "i", &result))
        return NULL;
    const int columns = dfl_sweep_columns(sweep, &names, &parameters);
    if (result < 0 || result >= columns - parameters) {
        PyErr_SetString(dfl_py_error, "there is no such result");
        return NULL;
    }
    double *first = PyMem_Calloc(2 * (size_t)parameters + 1, sizeof *first);
    if (!first)
        return PyErr_NoMemory();
    const dfl_status status = dfl_sweep_sensitivity(first, first + parameters, sweep, result);
    PyObject *out = status ? dfl_py_raise(((sweep_object *)self)->ctx, status)
                           : dfl_py_numbers(2 * (size_t)parameters, first);
    PyMem_Free(first);
    return out;
}

static PyMethodDef methods[] = {
    {"start", sweep_start, METH_VARARGS, "Starts threads; 0: as many as processors."},
    {"wait", sweep_wait, METH_VARARGS, "Waits some seconds. True: all threads have ended."},
    {"stop", sweep_stop, METH_NOARGS, "Cases under way end soon, without a result."},
    {"finish", sweep_finish, METH_NOARGS, "The status, once all threads have ended."},
    {"so_far", sweep_so_far, METH_NOARGS, "Counts, the first failure, seconds, the file."},
    {"columns", sweep_columns, METH_NOARGS, "Names, and how many of them are parameters."},
    {"rows", sweep_rows, METH_NOARGS, "Numbers, states and messages of all cases."},
    {"sensitivity", sweep_sensitivity, METH_VARARGS, "Sobol's indices of a result."},
    {NULL, NULL, 0, NULL}};

PyObject *dfl_py_make_sweep_type(void)
{
    static PyType_Slot slots[] = {{Py_tp_init, (void *)sweep_init},
                                  {Py_tp_dealloc, (void *)sweep_dealloc},
                                  {Py_tp_methods, methods},
                                  {Py_tp_doc, "Many runs of one model."},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "driftless._library.Sweep",
                               .basicsize = sizeof(sweep_object),
                               .flags = Py_TPFLAGS_DEFAULT,
                               .slots = slots};
    return PyType_FromSpec(&spec);
}
