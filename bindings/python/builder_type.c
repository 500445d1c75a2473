/* builder_type.c: a model in the making (dfl_builder): calls of the language by name. */
#include "library.h"

typedef struct builder_object {
    PyObject_HEAD dfl_context *ctx;
    dfl_builder *builder;
} builder_object;

/* Calls are checked where they are made. */
static dfl_status begin(builder_object *it, const char *name, const dfl_load_options *options)
{
    if (!it->ctx)
        it->ctx = dfl_context_create();
    dfl_status status = it->ctx ? dfl_builder_create(&it->builder, it->ctx, name) : DFL_NO_MEMORY;
    return status ? status : dfl_builder_check_calls(it->builder, options);
}

static int builder_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"name", "set", "input", "allow_fmu", NULL};
    builder_object *it = (builder_object *)self;
    PyObject *set, *input, *kept_set = NULL, *kept_input = NULL;
    dfl_load_options options = {.unlimited = true};
    const char *name;
    int allow_fmu = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "sOO|p", names, &name, &set, &input,
                                     &allow_fmu))
        return -1;
    options.allow_fmu = allow_fmu;
    if (it->builder) {
        PyErr_SetString(dfl_py_error, "a model is made once");
        return -1;
    }
    const char **sets = dfl_py_texts(&options.nset, &kept_set, set);
    const char **inputs = sets ? dfl_py_texts(&options.ninput, &kept_input, input) : NULL;
    dfl_status status = DFL_NO_MEMORY;
    if (inputs) {
        options.set = sets;
        options.input = inputs;
        status = begin(it, name, &options);
    }
    if (status)
        dfl_py_raise(it->ctx, status);
    PyMem_Free(sets);
    PyMem_Free(inputs);
    Py_XDECREF(kept_set);
    Py_XDECREF(kept_input);
    return status ? -1 : 0;
}

static void builder_dealloc(PyObject *self)
{
    builder_object *it = (builder_object *)self;
    dfl_builder_free(it->builder);
    dfl_context_free(it->ctx);
    dfl_py_free_object(self);
}

static int made(const builder_object *it)
{
    if (!it->builder)
        PyErr_SetString(dfl_py_error, "the model was not made");
    return it->builder != NULL;
}

/* call(result or None, name or None, texts of expressions) */
static PyObject *builder_call(PyObject *self, PyObject *args)
{
    builder_object *it = (builder_object *)self;
    const char *result, *call;
    PyObject *sequence, *kept = NULL;
    int count = 0;
    if (!made(it) || !PyArg_ParseTuple(args, "zzO", &result, &call, &sequence))
        return NULL;
    const char **texts = dfl_py_texts(&count, &kept, sequence);
    dfl_argument *arguments = texts ? PyMem_Calloc((size_t)count + 1, sizeof *arguments) : NULL;
    dfl_status status = DFL_NO_MEMORY;
    if (arguments) {
        for (int i = 0; i < count; i++)
            arguments[i] = (dfl_argument){.kind = DFL_ARGUMENT_EXPRESSION, .text = texts[i]};
        status = dfl_builder_call(it->builder, result, call, count, arguments);
    }
    PyMem_Free(arguments);
    PyMem_Free(texts);
    Py_XDECREF(kept);
    return dfl_py_done(it->ctx, status);
}

static PyObject *builder_script(PyObject *self, PyObject *none)
{
    (void)none;
    const builder_object *it = (builder_object *)self;
    return made(it) ? PyUnicode_FromString(dfl_builder_script(it->builder)) : NULL;
}

static PyMethodDef methods[] = {
    {"call", builder_call, METH_VARARGS, "Adds a call: names of results, call, arguments."},
    {"script", builder_script, METH_NOARGS, "The calls as a script, one per line."},
    {NULL, NULL, 0, NULL}};

PyObject *dfl_py_make_builder_type(void)
{
    static PyType_Slot slots[] = {{Py_tp_init, (void *)builder_init},
                                  {Py_tp_dealloc, (void *)builder_dealloc},
                                  {Py_tp_methods, methods},
                                  {Py_tp_doc, "A model in the making."},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "driftless._library.Builder",
                               .basicsize = sizeof(builder_object),
                               .flags = Py_TPFLAGS_DEFAULT,
                               .slots = slots};
    return PyType_FromSpec(&spec);
}
