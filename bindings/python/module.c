/* module.c: the extension module driftless._library: models and runs of driftless/model.h for Python.

   CPython's limited interface of 3.11. Numbers leave as bytes objects that NumPy reads without a
   copy; the interpreter's lock is released while a run advances. Ctrl-C is seen after every step. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <driftless/model.h>

#include <math.h>
#include <string.h>

static PyObject *error_type; /* driftless.Error */

typedef struct model_object {
    PyObject_HEAD dfl_context *ctx;
    dfl_model *model;
} model_object;

typedef struct run_object {
    PyObject_HEAD dfl_context *ctx;
    dfl_run *run;
    PyThreadState *advancing; /* the thread that runs without the lock, or NULL */
    PyObject *on_event;       /* or NULL */
} run_object;

static PyObject *raise(const dfl_context *ctx, dfl_status status)
{
    if (PyErr_Occurred())
        return NULL;
    if (status == DFL_NO_MEMORY)
        return PyErr_NoMemory();
    PyErr_SetString(error_type, dfl_message(ctx));
    return NULL;
}

/* A sequence of texts as an array; the texts belong to *keep, a tuple. NULL: an error is set. */
static const char **texts_of(int *count, PyObject **keep, PyObject *sequence)
{
    *keep = PySequence_Tuple(sequence);
    *count = *keep ? (int)PyTuple_Size(*keep) : 0;
    const char **out = *keep ? PyMem_Malloc(sizeof *out * (size_t)(*count + 1)) : NULL;
    for (int i = 0; out && i < *count; i++) {
        out[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(*keep, i), NULL);
        if (!out[i]) {
            PyMem_Free(out);
            out = NULL;
        }
    }
    if (!out)
        Py_CLEAR(*keep);
    return out;
}

/* ------------------------------------------------------------------------------- models */

static int model_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"path", "text", "set", "input", NULL};
    model_object *it = (model_object *)self;
    const char *path, *text;
    PyObject *set, *input, *kept_set = NULL, *kept_input = NULL;
    Py_ssize_t length;
    dfl_load_options options = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "sz#OO", names, &path, &text, &length, &set,
                                     &input))
        return -1;
    const char **sets = texts_of(&options.nset, &kept_set, set);
    const char **inputs = sets ? texts_of(&options.ninput, &kept_input, input) : NULL;
    dfl_status status = DFL_NO_MEMORY;
    if (inputs && !it->ctx)
        it->ctx = dfl_context_create();
    if (inputs && it->ctx) {
        options.set = sets;
        options.input = inputs;
        dfl_model_free(it->model);
        it->model = NULL;
        status =
            text ? dfl_model_load_text(&it->model, it->ctx, path, text, (size_t)length, &options)
                 : dfl_model_load(&it->model, it->ctx, path, &options);
        if (status)
            raise(it->ctx, status);
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    PyMem_Free(sets);
    PyMem_Free(inputs);
    Py_XDECREF(kept_set);
    Py_XDECREF(kept_input);
    return status ? -1 : 0;
}

static void model_dealloc(PyObject *self)
{
    model_object *it = (model_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    dfl_model_free(it->model);
    dfl_context_free(it->ctx);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyType_Slot model_slots[] = {{Py_tp_init, (void *)model_init},
                                    {Py_tp_dealloc, (void *)model_dealloc},
                                    {Py_tp_doc, "A loaded script."},
                                    {0, NULL}};
static PyType_Spec model_spec = {.name = "driftless._library.Model",
                                 .basicsize = sizeof(model_object),
                                 .flags = Py_TPFLAGS_DEFAULT,
                                 .slots = model_slots};
static PyObject *model_type;

/* ------------------------------------------------------------------------------- runs */

/* After every step, without the lock: Ctrl-C. */
static int on_step(double t, double step, void *user)
{
    run_object *it = user;
    (void)t, (void)step;
    if (!it->advancing)
        return 0;
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

static int run_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"model", "settings", "on_event", NULL};
    run_object *it = (run_object *)self;
    PyObject *model, *settings, *event = Py_None, *kept = NULL;
    dfl_run_options options = {.on_step = on_step, .on_event = on_event, .user = it};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O|O", names, (PyTypeObject *)model_type,
                                     &model, &settings, &event))
        return -1;
    if (it->run) {
        PyErr_SetString(error_type, "a run is made once");
        return -1;
    }
    const char **texts = texts_of(&options.nsettings, &kept, settings);
    if (texts && !it->ctx)
        it->ctx = dfl_context_create();
    dfl_status status = DFL_NO_MEMORY;
    if (texts && it->ctx) {
        options.settings = texts;
        status = dfl_run_create(&it->run, it->ctx, ((model_object *)model)->model, &options);
        if (status)
            raise(it->ctx, status);
        else if (event != Py_None)
            it->on_event = Py_NewRef(event);
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    PyMem_Free(texts);
    Py_XDECREF(kept);
    return status ? -1 : 0;
}

static void run_dealloc(PyObject *self)
{
    run_object *it = (run_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    dfl_run_free(it->run);
    dfl_context_free(it->ctx);
    Py_XDECREF(it->on_event);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* The run behind an object that can be used now; NULL: an error is set. */
static dfl_run *usable(run_object *it)
{
    if (!it->run)
        PyErr_SetString(error_type, "the run was not made");
    else if (it->advancing)
        PyErr_SetString(error_type, "the run is advancing in another thread");
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
    it->advancing = PyEval_SaveThread();
    const dfl_status status = work(run, t);
    PyThreadState *state = it->advancing;
    it->advancing = NULL;
    PyEval_RestoreThread(state);
    if (PyErr_Occurred() || (status && status != DFL_STOPPED))
        return raise(it->ctx, status);
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

static PyObject *done(const run_object *it, dfl_status status)
{
    return status ? raise(it->ctx, status) : Py_NewRef(Py_None);
}

static PyObject *run_keep(PyObject *self, PyObject *none)
{
    run_object *it = (run_object *)self;
    dfl_run *run = usable(it);
    (void)none;
    return run ? done(it, dfl_run_keep(run)) : NULL;
}

static PyObject *run_write(PyObject *self, PyObject *path)
{
    run_object *it = (run_object *)self;
    dfl_run *run = usable(it);
    const char *text = run ? PyUnicode_AsUTF8AndSize(path, NULL) : NULL;
    return text ? done(it, dfl_run_write(run, text)) : NULL;
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
    return done(it, dfl_run_set(run, number, value));
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

static PyObject *run_summary(PyObject *self, PyObject *none)
{
    dfl_run *run = usable((run_object *)self);
    (void)none;
    const char *text = run ? dfl_run_summary(run) : NULL;
    return !run ? NULL : text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
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
        return raise(it->ctx, status);
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
    return done(it, dfl_run_restore(run, data, (size_t)size));
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
    {"write", run_write, METH_O, "Name a result file."},
    {"get", run_get, METH_O, "A value by its number."},
    {"set", run_set, METH_VARARGS, "An input or a parameter by its number."},
    {"time", run_time, METH_NOARGS, "The present time."},
    {"energy", run_energy, METH_NOARGS, "The present energy."},
    {"values", run_values, METH_NOARGS, "Name, unit and kind of all values."},
    {"rows", run_rows, METH_NOARGS, "Rows as bytes of doubles, their number, and that of columns."},
    {"residuals", run_residuals, METH_NOARGS, "Residuals by level."},
    {"summary", run_summary, METH_NOARGS, "JSON of a finished run."},
    {"save", run_save, METH_NOARGS, "The state as bytes."},
    {"restore", run_restore, METH_O, "Go on from saved bytes."},
    {"cancel", run_cancel, METH_NOARGS, "Stop a run that advances in another thread."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot run_slots[] = {{Py_tp_init, (void *)run_init},
                                  {Py_tp_dealloc, (void *)run_dealloc},
                                  {Py_tp_methods, run_methods},
                                  {Py_tp_doc, "One simulation of a model."},
                                  {0, NULL}};
static PyType_Spec run_spec = {.name = "driftless._library.Run",
                               .basicsize = sizeof(run_object),
                               .flags = Py_TPFLAGS_DEFAULT,
                               .slots = run_slots};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_library",
                                        .m_doc = "Models and runs.", .m_size = -1};

PyMODINIT_FUNC PyInit__library(void);

PyMODINIT_FUNC PyInit__library(void)
{
    PyObject *module = PyModule_Create(&definition);
    error_type = PyErr_NewException("driftless.Error", PyExc_RuntimeError, NULL);
    model_type = PyType_FromSpec(&model_spec);
    PyObject *run_type = PyType_FromSpec(&run_spec);
    if (!module || !error_type || !model_type || !run_type ||
        PyModule_AddObjectRef(module, "Error", error_type) ||
        PyModule_AddObjectRef(module, "Model", model_type) ||
        PyModule_AddObjectRef(module, "Run", run_type))
        Py_CLEAR(module);
    Py_XDECREF(run_type);
    return module;
}
