/* model_type.c: a loaded model: what it is, where it starts, its equations, its inverse dynamics.

   Each call works in a context of its own, without the interpreter's lock: a model is only read. */
#include "library.h"

/* ------------------------------------------------------------------------------- life */

typedef struct loading {
    const char *path, *text;
    Py_ssize_t length;
    dfl_load_options options;
} loading;

static dfl_status load(model_object *it, const loading *from)
{
    if (!it->ctx)
        it->ctx = dfl_context_create();
    if (!it->ctx)
        return DFL_NO_MEMORY;
    PyThreadState *state = PyEval_SaveThread();
    const dfl_status status = from->text
                                  ? dfl_model_load_text(&it->model, it->ctx, from->path, from->text,
                                                        (size_t)from->length, &from->options)
                                  : dfl_model_load(&it->model, it->ctx, from->path, &from->options);
    PyEval_RestoreThread(state);
    return status;
}

static int model_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"path", "text", "set", "input", "unlimited", "allow_fmu", NULL};
    model_object *it = (model_object *)self;
    PyObject *set, *input, *kept_set = NULL, *kept_input = NULL;
    loading from = {0};
    int unlimited = 0, allow_fmu = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "sz#OO|pp", names, &from.path, &from.text,
                                     &from.length, &set, &input, &unlimited, &allow_fmu))
        return -1;
    from.options.unlimited = unlimited;
    from.options.allow_fmu = allow_fmu;
    if (it->ctx) {
        PyErr_SetString(dfl_py_error, "a model is made once");
        return -1;
    }
    const char **sets = dfl_py_texts(&from.options.nset, &kept_set, set);
    const char **inputs = sets ? dfl_py_texts(&from.options.ninput, &kept_input, input) : NULL;
    dfl_status status = DFL_NO_MEMORY;
    if (inputs) {
        from.options.set = sets;
        from.options.input = inputs;
        status = load(it, &from);
    }
    if (status)
        dfl_py_raise(it->ctx, status);
    PyMem_Free(sets);
    PyMem_Free(inputs);
    Py_XDECREF(kept_set);
    Py_XDECREF(kept_input);
    return status ? -1 : 0;
}

static void model_dealloc(PyObject *self)
{
    model_object *it = (model_object *)self;
    dfl_model_free(it->model);
    dfl_context_free(it->ctx);
    dfl_py_free_object(self);
}

/* ------------------------------------------------------------------------------- texts */

/* (JSON, text, Lua or None) of a check or a start */
static PyObject *checked_texts(PyObject *self, PyObject *args)
{
    const dfl_model *model = dfl_py_model(self);
    int only_start;
    PyObject *settings, *kept = NULL, *texts = NULL;
    dfl_check_options options = {0};
    dfl_checked *checked = NULL;
    if (!model || !PyArg_ParseTuple(args, "pOz", &only_start, &settings, &options.start_from))
        return NULL;
    const char **choices = dfl_py_texts(&options.nsettings, &kept, settings);
    dfl_context *ctx = choices ? dfl_context_create() : NULL;
    dfl_status status = DFL_NO_MEMORY;
    if (ctx) {
        options.settings = choices;
        PyThreadState *state = PyEval_SaveThread();
        status = only_start ? dfl_model_init(&checked, ctx, model, &options)
                            : dfl_model_check(&checked, ctx, model, &options);
        PyEval_RestoreThread(state);
    }
    if (status)
        dfl_py_raise(ctx, status);
    else {
        const dfl_check_report *r = dfl_checked_about(checked);
        texts = Py_BuildValue("(szz)", r->json, r->text, r->lua);
    }
    dfl_checked_free(checked);
    dfl_context_free(ctx);
    PyMem_Free(choices);
    Py_XDECREF(kept);
    return texts;
}

/* equations(latex, frames) */
static PyObject *model_equations(PyObject *self, PyObject *args)
{
    const dfl_model *model = dfl_py_model(self);
    int latex, frames;
    char *text = NULL;
    if (!model || !PyArg_ParseTuple(args, "pp", &latex, &frames))
        return NULL;
    dfl_context *ctx = dfl_context_create();
    PyThreadState *state = PyEval_SaveThread();
    const dfl_status status =
        ctx ? dfl_model_equations(&text, ctx, model, latex, frames) : DFL_NO_MEMORY;
    PyEval_RestoreThread(state);
    PyObject *out = status ? dfl_py_raise(ctx, status) : PyUnicode_FromString(text);
    dfl_free(ctx, text);
    dfl_context_free(ctx);
    return out;
}

static PyObject *model_export_c(PyObject *self, PyObject *none)
{
    const dfl_model *model = dfl_py_model(self);
    char *text = NULL;
    (void)none;
    if (!model)
        return NULL;
    dfl_context *ctx = dfl_context_create();
    const dfl_status status = ctx ? dfl_model_export_c(&text, ctx, model) : DFL_NO_MEMORY;
    PyObject *out = status ? dfl_py_raise(ctx, status) : PyUnicode_FromString(text);
    dfl_free(ctx, text);
    dfl_context_free(ctx);
    return out;
}

/* ------------------------------------------------------------------------------- inverse dynamics
 */

static PyObject *followed_values(const dfl_followed_report *r)
{
    return Py_BuildValue(
        "{sNsisisNsisisNsN}", "values",
        dfl_py_numbers((size_t)r->rows * (size_t)r->columns, r->values), "rows", r->rows, "columns",
        r->columns, "names", dfl_py_names(r->columns - 1, r->names), "ndrives", r->ndrives,
        "first_drive", r->first_drive, "peak", dfl_py_numbers((size_t)r->ndrives, r->peak), "rms",
        dfl_py_numbers((size_t)r->ndrives, r->rms));
}

static PyObject *model_inverse(PyObject *self, PyObject *settings)
{
    const dfl_model *model = dfl_py_model(self);
    PyObject *kept = NULL, *out = NULL;
    int count = 0;
    dfl_followed *followed = NULL;
    const char **choices = model ? dfl_py_texts(&count, &kept, settings) : NULL;
    if (!choices)
        return NULL;
    dfl_context *ctx = dfl_context_create();
    PyThreadState *state = PyEval_SaveThread();
    const dfl_status status =
        ctx ? dfl_model_inverse(&followed, ctx, model, count, choices) : DFL_NO_MEMORY;
    PyEval_RestoreThread(state);
    if (status)
        dfl_py_raise(ctx, status);
    else
        out = followed_values(dfl_followed_about(followed));
    dfl_followed_free(followed);
    dfl_context_free(ctx);
    PyMem_Free(choices);
    Py_XDECREF(kept);
    return out;
}

static PyMethodDef methods[] = {
    {"task", dfl_py_task, METH_VARARGS, "What a command of the program finds."},
    {"checked", checked_texts, METH_VARARGS, "JSON, text and Lua of a check or of the start."},
    {"equations", model_equations, METH_VARARGS, "The equations: latex, frames."},
    {"export_c", model_export_c, METH_NOARGS, "The equations as C99."},
    {"inverse", model_inverse, METH_O, "The drives of prescribed motions."},
    {NULL, NULL, 0, NULL}};

PyObject *dfl_py_make_model_type(void)
{
    static PyType_Slot slots[] = {{Py_tp_init, (void *)model_init},
                                  {Py_tp_dealloc, (void *)model_dealloc},
                                  {Py_tp_methods, methods},
                                  {Py_tp_doc, "A loaded script."},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "driftless._library.Model",
                               .basicsize = sizeof(model_object),
                               .flags = Py_TPFLAGS_DEFAULT,
                               .slots = slots};
    return PyType_FromSpec(&spec);
}
