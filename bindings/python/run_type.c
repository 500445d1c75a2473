/* run_type.c: one simulation (dfl_run). The interpreter's lock is released while it advances;
   Ctrl-C is looked for about twenty times a second. */
#define _POSIX_C_SOURCE 200809L
#include "library.h"

#include <time.h>

typedef struct run_object {
    PyObject_HEAD dfl_context *ctx;
    dfl_run *run;
    bool busy;                /* it advances; changed by those who hold the lock */
    PyThreadState *advancing; /* the thread that runs without the lock, or NULL */
    PyObject *on_event;       /* or NULL */
    double looked;            /* s: when Ctrl-C was looked for */
} run_object;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* After every step, without the lock, which threads would only hand to each other. */
static int on_step(double t, double step, void *user)
{
    const double between = 0.05; /* s */
    run_object *it = user;
    (void)t, (void)step;
    const double present = now();
    if (!it->advancing || present - it->looked < between)
        return 0;
    it->looked = present;
    PyEval_RestoreThread(it->advancing);
    const int stop = PyErr_CheckSignals() != 0;
    it->advancing = PyEval_SaveThread();
    return stop;
}

static int on_event(int event, int direction, double t, void *user)
{
    run_object *it = user;
    int stop = 0;
    if (!it->on_event || !it->advancing)
        return 0;
    PyEval_RestoreThread(it->advancing);
    PyObject *answer = PyObject_CallFunction(it->on_event, "iid", event, direction, t);
    stop = !answer;
    Py_XDECREF(answer);
    it->advancing = PyEval_SaveThread();
    return stop;
}

static dfl_status create(run_object *it, const dfl_model *model, const dfl_run_options *options)
{
    it->ctx = dfl_context_create();
    if (!it->ctx)
        return DFL_NO_MEMORY;
    PyThreadState *state = PyEval_SaveThread();
    const dfl_status status = dfl_run_create(&it->run, it->ctx, model, options);
    PyEval_RestoreThread(state);
    return status;
}

static int run_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"model", "settings", "on_event", "start_from", "columns", NULL};
    run_object *it = (run_object *)self;
    PyObject *model, *settings, *event = Py_None, *kept = NULL;
    dfl_run_options options = {.on_step = on_step, .on_event = on_event, .user = it};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|Ozz", names, &model, &settings, &event,
                                     &options.start_from, &options.columns))
        return -1;
    const dfl_model *which = dfl_py_model(model);
    if (which && it->ctx)
        PyErr_SetString(dfl_py_error, "a run is made once");
    if (!which || it->ctx)
        return -1;
    const char **texts = dfl_py_texts(&options.nsettings, &kept, settings);
    options.settings = texts;
    options.all_events = true;
    const dfl_status status = texts ? create(it, which, &options) : DFL_NO_MEMORY;
    if (status)
        dfl_py_raise(it->ctx, status);
    else if (event != Py_None)
        it->on_event = Py_NewRef(event);
    PyMem_Free(texts);
    Py_XDECREF(kept);
    return status ? -1 : 0;
}

/* A function of the user may refer to the simulation. */
static int run_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((run_object *)self)->on_event);
    return 0;
}

static int run_clear(PyObject *self)
{
    Py_CLEAR(((run_object *)self)->on_event);
    return 0;
}

static void run_dealloc(PyObject *self)
{
    run_object *it = (run_object *)self;
    PyObject_GC_UnTrack(self);
    dfl_run_free(it->run);
    dfl_context_free(it->ctx);
    Py_XDECREF(it->on_event);
    dfl_py_free_object(self);
}

/* The run behind an object that can be used now; NULL: an error is set. */
static dfl_run *usable(run_object *it)
{
    if (!it->run)
        PyErr_SetString(dfl_py_error, "the run was not made");
    else if (it->busy)
        PyErr_SetString(dfl_py_error, "the run is advancing, in another thread or around its own "
                                      "callback; use it when that has returned");
    return PyErr_Occurred() ? NULL : it->run;
}

typedef dfl_status (*long_fn)(dfl_run *run, double t);

static dfl_status do_start(dfl_run *run, double t)
{
    (void)t;
    return dfl_run_start(run);
}

static dfl_status do_step(dfl_run *run, double t)
{
    (void)t;
    return dfl_run_step(run);
}

static dfl_status do_finish(dfl_run *run, double t)
{
    (void)t;
    return dfl_run_finish(run);
}

/* Anything that takes time, without the lock. DFL_STOPPED is True: an event has stopped it. */
static PyObject *without_lock(run_object *it, long_fn work, double t)
{
    dfl_run *run = usable(it);
    if (!run)
        return NULL;
    it->busy = true; /* before the lock is given away, until it is back */
    it->advancing = PyEval_SaveThread();
    const dfl_status status = work(run, t);
    PyEval_RestoreThread(it->advancing);
    it->advancing = NULL;
    it->busy = false;
    if (PyErr_Occurred() || (status && status != DFL_STOPPED))
        return dfl_py_raise(it->ctx, status);
    return PyBool_FromLong(status == DFL_STOPPED);
}

static PyObject *run_start(PyObject *self, PyObject *none)
{
    (void)none;
    return without_lock((run_object *)self, do_start, 0);
}

static PyObject *run_step(PyObject *self, PyObject *none)
{
    (void)none;
    return without_lock((run_object *)self, do_step, 0);
}

static PyObject *run_finish(PyObject *self, PyObject *none)
{
    (void)none;
    return without_lock((run_object *)self, do_finish, 0);
}

static PyObject *run_advance(PyObject *self, PyObject *time)
{
    const double t = PyFloat_AsDouble(time);
    return PyErr_Occurred() ? NULL : without_lock((run_object *)self, dfl_run_advance, t);
}

static PyObject *run_keep(PyObject *self, PyObject *none)
{
    run_object *it = (run_object *)self;
    dfl_run *run = usable(it);
    (void)none;
    return run ? dfl_py_done(it->ctx, dfl_run_keep(run)) : NULL;
}

static PyObject *run_keep_page(PyObject *self, PyObject *none)
{
    run_object *it = (run_object *)self;
    dfl_run *run = usable(it);
    (void)none;
    return run ? dfl_py_done(it->ctx, dfl_run_keep_page(run)) : NULL;
}

static PyObject *run_write(PyObject *self, PyObject *path)
{
    run_object *it = (run_object *)self;
    dfl_run *run = usable(it);
    const char *text = run ? PyUnicode_AsUTF8AndSize(path, NULL) : NULL;
    return text ? dfl_py_done(it->ctx, dfl_run_write(run, text)) : NULL;
}

static PyObject *run_get(PyObject *self, PyObject *number)
{
    dfl_run *run = usable((run_object *)self);
    const long which = run ? PyLong_AsLong(number) : -1;
    return PyErr_Occurred() ? NULL : PyFloat_FromDouble(dfl_run_get(run, (int)which));
}

static PyObject *run_set(PyObject *self, PyObject *args)
{
    run_object *it = (run_object *)self;
    dfl_run *run = usable(it);
    int number;
    double value;
    if (!run || !PyArg_ParseTuple(args, "id", &number, &value))
        return NULL;
    return dfl_py_done(it->ctx, dfl_run_set(run, number, value));
}

static PyObject *run_time(PyObject *self, PyObject *none)
{
    dfl_run *run = usable((run_object *)self);
    (void)none;
    return run ? PyFloat_FromDouble(dfl_run_time(run)) : NULL;
}

static PyObject *run_energy(PyObject *self, PyObject *none)
{
    dfl_run *run = usable((run_object *)self);
    (void)none;
    return run ? PyFloat_FromDouble(dfl_run_energy(run)) : NULL;
}

/* (name, unit, kind) of every value. */
static PyObject *run_values(PyObject *self, PyObject *none)
{
    static const char *const kinds[] = {"position",   "velocity", "dynamic", "contact", "auxiliary",
                                        "multiplier", "output",   "input",   "param"};
    dfl_run *run = usable((run_object *)self);
    (void)none;
    PyObject *list = run ? PyList_New(0) : NULL;
    for (int i = 0; list && i < dfl_run_values(run); i++) {
        const dfl_value_info info = dfl_run_value(run, i);
        PyObject *item = Py_BuildValue("(sss)", info.name, info.unit, kinds[info.kind]);
        if (!item || PyList_Append(list, item))
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* (bytes of doubles, rows, columns) */
static PyObject *run_rows(PyObject *self, PyObject *none)
{
    int rows, columns;
    dfl_run *run = usable((run_object *)self);
    (void)none;
    if (!run)
        return NULL;
    const double *values = dfl_run_rows(run, &rows, &columns);
    const size_t size = (size_t)rows * (size_t)columns * sizeof *values;
    return Py_BuildValue("(y#ii)", values ? (const char *)values : "", (Py_ssize_t)size, rows,
                         columns);
}

static PyObject *run_residuals(PyObject *self, PyObject *none)
{
    dfl_run *run = usable((run_object *)self);
    (void)none;
    if (!run)
        return NULL;
    const dfl_residuals r = dfl_run_residuals(run);
    return Py_BuildValue("{sdsdsdsdsdsdsdsd}", "position", r.position, "velocity", r.velocity,
                         "acceleration", r.acceleration, "nonholonomic", r.nonholonomic, "contact",
                         r.contact, "auxiliary", r.auxiliary, "invariant", r.invariant, "massless",
                         r.massless);
}

/* A text of a finished run, or None. */
static PyObject *text_of(PyObject *self, const char *(*text)(const dfl_run *run))
{
    const dfl_run *run = usable((run_object *)self);
    const char *found = run ? text(run) : NULL;
    return !run ? NULL : found ? PyUnicode_FromString(found) : Py_NewRef(Py_None);
}

static PyObject *run_summary(PyObject *self, PyObject *none)
{
    (void)none;
    return text_of(self, dfl_run_summary);
}

static PyObject *run_text(PyObject *self, PyObject *none)
{
    (void)none;
    return text_of(self, dfl_run_text);
}

static PyObject *run_page(PyObject *self, PyObject *none)
{
    (void)none;
    return text_of(self, dfl_run_page);
}

static PyObject *run_save(PyObject *self, PyObject *none)
{
    run_object *it = (run_object *)self;
    dfl_run *run = usable(it);
    (void)none;
    PyObject *bytes =
        run ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)dfl_run_saved_size(run)) : NULL;
    const dfl_status status = bytes ? dfl_run_save(PyBytes_AsString(bytes), run) : DFL_OK;
    if (status) {
        Py_DECREF(bytes);
        return dfl_py_raise(it->ctx, status);
    }
    return bytes;
}

static PyObject *run_restore(PyObject *self, PyObject *bytes)
{
    run_object *it = (run_object *)self;
    dfl_run *run = usable(it);
    char *data;
    Py_ssize_t size;
    if (!run || PyBytes_AsStringAndSize(bytes, &data, &size))
        return NULL;
    return dfl_py_done(it->ctx, dfl_run_restore(run, data, (size_t)size));
}

static PyObject *run_cancel(PyObject *self, PyObject *none)
{
    (void)none;
    if (((run_object *)self)->run)
        dfl_run_cancel(((run_object *)self)->run);
    return Py_NewRef(Py_None);
}

static PyMethodDef run_methods[] = {
    {"start", run_start, METH_NOARGS, "Consistent initial values."},
    {"advance", run_advance, METH_O, "To a time; True: an event has stopped it."},
    {"step", run_step, METH_NOARGS, "One step."},
    {"finish", run_finish, METH_NOARGS, "To the end of the settings."},
    {"keep", run_keep, METH_NOARGS, "Keep rows in memory."},
    {"keep_page", run_keep_page, METH_NOARGS, "Keep the page in memory."},
    {"write", run_write, METH_O, "Name a result file."},
    {"get", run_get, METH_O, "A value by its number."},
    {"set", run_set, METH_VARARGS, "An input or a parameter by its number."},
    {"time", run_time, METH_NOARGS, "The present time."},
    {"energy", run_energy, METH_NOARGS, "The present energy."},
    {"values", run_values, METH_NOARGS, "Name, unit and kind of all values."},
    {"rows", run_rows, METH_NOARGS, "Rows as bytes of doubles, their number, and that of columns."},
    {"residuals", run_residuals, METH_NOARGS, "Residuals by level."},
    {"summary", run_summary, METH_NOARGS, "JSON of a finished run."},
    {"text", run_text, METH_NOARGS, "How a finished run went, in a few lines."},
    {"page", run_page, METH_NOARGS, "The page of a finished run, or None."},
    {"save", run_save, METH_NOARGS, "The state as bytes."},
    {"restore", run_restore, METH_O, "Go on from saved bytes."},
    {"cancel", run_cancel, METH_NOARGS, "Stop a run that advances in another thread."},
    {NULL, NULL, 0, NULL}};

PyObject *dfl_py_make_run_type(void)
{
    static PyType_Slot slots[] = {{Py_tp_init, (void *)run_init},
                                  {Py_tp_dealloc, (void *)run_dealloc},
                                  {Py_tp_traverse, (void *)run_traverse},
                                  {Py_tp_clear, (void *)run_clear},
                                  {Py_tp_methods, run_methods},
                                  {Py_tp_doc, "One simulation of a model."},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "driftless._library.Run",
                               .basicsize = sizeof(run_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                               .slots = slots};
    return PyType_FromSpec(&spec);
}
