/* module.c: the extension module driftless._library, and what its types share. */
#include "library.h"

#include <driftless/sweep.h>
#include <driftless/task.h>

#include <stdlib.h>

/* Part of OpenBLAS; other BLAS libraries do not have it. */
#if defined(__GNUC__)
void openblas_set_num_threads(int count) __attribute__((weak));
#endif

PyObject *dfl_py_error;
PyObject *dfl_py_model_type;

PyObject *dfl_py_raise(const dfl_context *ctx, dfl_status status)
{
    if (PyErr_Occurred())
        return NULL;
    if (status == DFL_NO_MEMORY)
        return PyErr_NoMemory();
    PyErr_SetString(dfl_py_error, dfl_message(ctx));
    return NULL;
}

PyObject *dfl_py_done(const dfl_context *ctx, dfl_status status)
{
    return status ? dfl_py_raise(ctx, status) : Py_NewRef(Py_None);
}

void dfl_py_free_object(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

const dfl_model *dfl_py_model(PyObject *model)
{
    const dfl_model *it = NULL;
    if (!PyObject_TypeCheck(model, (PyTypeObject *)dfl_py_model_type))
        PyErr_SetString(PyExc_TypeError, "a model is needed");
    else if (!(it = ((model_object *)model)->model))
        PyErr_SetString(dfl_py_error, "the model was not made");
    return it;
}

const char **dfl_py_texts(int *count, PyObject **keep, PyObject *sequence)
{
    *keep = PySequence_Tuple(sequence);
    *count = *keep ? (int)PyTuple_Size(*keep) : 0;
    const char **out = *keep ? PyMem_Malloc(sizeof *out * (size_t)(*count + 1)) : NULL;
    if (*keep && !out)
        PyErr_NoMemory();
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

PyObject *dfl_py_names(int count, const char *const *names)
{
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        PyObject *name = PyUnicode_FromString(names[i]);
        if (!name || PyList_SetItem(list, i, name))
            Py_CLEAR(list);
    }
    return list;
}

PyObject *dfl_py_numbers(size_t count, const double *values)
{
    return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(count * sizeof *values));
}

/* The names of the language. */
static PyObject *language_names(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    dfl_context *ctx = dfl_context_create();
    char *names = NULL;
    const dfl_status status = ctx ? dfl_language_names(&names, ctx) : DFL_NO_MEMORY;
    PyObject *text = status ? dfl_py_raise(ctx, status) : PyUnicode_FromString(names);
    dfl_free(ctx, names);
    dfl_context_free(ctx);
    return text;
}

/* view(result, page) */
static PyObject *view(PyObject *module, PyObject *args)
{
    const char *result, *page;
    (void)module;
    if (!PyArg_ParseTuple(args, "ss", &result, &page))
        return NULL;
    dfl_context *ctx = dfl_context_create();
    const dfl_status status = !ctx ? DFL_NO_MEMORY
                              : dfl_is_sweep(ctx, result)
                                  ? dfl_sweep_page(ctx, result, page)
                                  : dfl_view_result(ctx, result, page, NULL);
    PyObject *out = dfl_py_done(ctx, status);
    dfl_context_free(ctx);
    return out;
}

static PyMethodDef functions[] = {
    {"view", view, METH_VARARGS, "A page or a plot of a stored result."},
    {"language_names", language_names, METH_NOARGS, "Names of the language, with blanks."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_library",
                                        .m_doc = "Models, runs and analyses.", .m_size = -1,
                                        .m_methods = functions};

static int add_type(PyObject *module, const char *name, PyObject *type)
{
    const int failed = !type || PyModule_AddObjectRef(module, name, type);
    Py_XDECREF(type);
    return failed;
}

/* As in the program: matrices here are small, and results do not depend on the number of
   processors. A number in the environment is left as it is. */
static void use_one_thread(void)
{
#if defined(__GNUC__)
    if (openblas_set_num_threads && !getenv("OPENBLAS_NUM_THREADS"))
        openblas_set_num_threads(1);
#endif
}

PyMODINIT_FUNC PyInit__library(void);

PyMODINIT_FUNC PyInit__library(void)
{
    use_one_thread();
    PyObject *module = PyModule_Create(&definition);
    dfl_py_error = PyErr_NewException("driftless.Error", PyExc_RuntimeError, NULL);
    dfl_py_model_type = dfl_py_make_model_type();
    if (!module || !dfl_py_error || !dfl_py_model_type ||
        PyModule_AddObjectRef(module, "Error", dfl_py_error) ||
        PyModule_AddObjectRef(module, "Model", dfl_py_model_type) ||
        add_type(module, "Run", dfl_py_make_run_type()) ||
        add_type(module, "Builder", dfl_py_make_builder_type()) ||
        add_type(module, "Near", dfl_py_make_near_type()) ||
        add_type(module, "Sweep", dfl_py_make_sweep_type()) ||
        add_type(module, "Buffer", dfl_py_make_buffer_type()) ||
        add_type(module, "Solver", dfl_py_make_solver_type()))
        Py_CLEAR(module);
    return module;
}
