/* library.h: what the types of the extension module driftless._library share.

   CPython's limited interface of 3.11. Numbers leave as bytes objects that NumPy reads without a
   copy; the interpreter's lock is released while the library works. */
#ifndef DFL_PYTHON_LIBRARY_H
#define DFL_PYTHON_LIBRARY_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <driftless/model.h>

extern PyObject *dfl_py_error; /* driftless.Error */

typedef struct model_object {
    PyObject_HEAD dfl_context *ctx;
    dfl_model *model;
} model_object;

extern PyObject *dfl_py_model_type;

/* The types, new references; NULL: an error is set. */
PyObject *dfl_py_make_model_type(void);
PyObject *dfl_py_make_run_type(void);
PyObject *dfl_py_make_builder_type(void);
PyObject *dfl_py_make_near_type(void);
PyObject *dfl_py_make_sweep_type(void);
PyObject *dfl_py_make_buffer_type(void);
PyObject *dfl_py_make_solver_type(void);

/* An array of doubles, zero at first, that Python sees by the buffer protocol. */
PyObject *dfl_py_buffer(size_t count);
double *dfl_py_buffer_values(PyObject *buffer);

/* task(name, settings, {option: text or number}, of): JSON, text, note or None, completed
   (task_call.c) */
PyObject *dfl_py_task(PyObject *self, PyObject *args);

/* Raises driftless.Error with the message of the context, or what is raised already; NULL. */
PyObject *dfl_py_raise(const dfl_context *ctx, dfl_status status);

/* None, or raises. */
PyObject *dfl_py_done(const dfl_context *ctx, dfl_status status);

/* Frees an object of a heap type after its own members. */
void dfl_py_free_object(PyObject *self);

/* The model behind an argument of type Model that was made; NULL: an error is set. */
const dfl_model *dfl_py_model(PyObject *model);

/* A sequence of texts as an array; the texts belong to *keep, a tuple. Both are released by the
   caller (PyMem_Free, Py_XDECREF). NULL: an error is set. */
const char **dfl_py_texts(int *count, PyObject **keep, PyObject *sequence);

/* A list of texts; a bytes object of doubles. */
PyObject *dfl_py_names(int count, const char *const *names);
PyObject *dfl_py_numbers(size_t count, const double *values);

#endif
