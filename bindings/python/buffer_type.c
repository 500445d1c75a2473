/* buffer_type.c: an array of doubles that Python and the library share (buffer protocol), so that
   NumPy needs no copies. */
#include "library.h"

typedef struct buffer_object {
    PyObject_HEAD double *values;
    Py_ssize_t count;
} buffer_object;

static PyObject *buffer_type;

PyObject *dfl_py_buffer(size_t count)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)buffer_type, Py_tp_alloc);
    buffer_object *it = (buffer_object *)allocate((PyTypeObject *)buffer_type, 0);
    if (!it)
        return NULL;
    it->count = (Py_ssize_t)count;
    it->values = PyMem_Calloc(count + 1, sizeof *it->values);
    if (!it->values) {
        Py_DECREF(it);
        return PyErr_NoMemory();
    }
    return (PyObject *)it;
}

double *dfl_py_buffer_values(PyObject *buffer)
{
    return ((buffer_object *)buffer)->values;
}

static void dealloc(PyObject *self)
{
    PyMem_Free(((buffer_object *)self)->values);
    dfl_py_free_object(self);
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    const buffer_object *it = (buffer_object *)self;
    return PyBuffer_FillInfo(view, self, it->values, it->count * (Py_ssize_t)sizeof *it->values, 0,
                             flags);
}

PyObject *dfl_py_make_buffer_type(void)
{
    static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)dealloc},
                                  {Py_bf_getbuffer, (void *)get_buffer},
                                  {Py_tp_doc, "Doubles that Python and the library share."},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "driftless._library.Buffer",
                               .basicsize = sizeof(buffer_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = slots};
    return buffer_type = PyType_FromSpec(&spec);
}
