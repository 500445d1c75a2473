/* task_call.c: what the commands of the program find about a model (driftless/task.h). */
#include "library.h"

#include <driftless/task.h>

#include <string.h>

/* Options, by their names: texts, and numbers. */
typedef struct text_option {
    const char *name;
    const char **field;
} text_option;
typedef struct number_option {
    const char *name;
    double *field;
} number_option;

static int take_numbers(dfl_task_options *options, PyObject *given)
{
    const number_option numbers[] = {{"starts", &options->starts},
                                     {"bootstrap", &options->bootstrap},
                                     {"seed", &options->seed},
                                     {"threads", &options->threads}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        PyObject *value = PyDict_GetItemString(given, numbers[i].name);
        if (!value)
            continue;
        *numbers[i].field = PyFloat_AsDouble(value);
        if (PyErr_Occurred() || PyDict_DelItemString(given, numbers[i].name))
            return -1;
    }
    return 0;
}

static int take_texts(dfl_task_options *options, PyObject *given)
{
    const text_option texts[] = {{"at", &options->at},
                                 {"steady", &options->steady},
                                 {"inputs", &options->inputs},
                                 {"outputs", &options->outputs},
                                 {"over", &options->over},
                                 {"along", &options->along},
                                 {"by", &options->by},
                                 {"state_weight", &options->state_weight},
                                 {"input_weight", &options->input_weight},
                                 {"algorithm", &options->algorithm},
                                 {"derivatives", &options->derivatives},
                                 {"error_control", &options->error_control},
                                 {"start_from", &options->start_from}};
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(given, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        const char *text = name ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
        size_t i = 0;
        if (!text)
            return -1;
        while (i < sizeof texts / sizeof *texts && strcmp(texts[i].name, name) != 0)
            i++;
        if (i == sizeof texts / sizeof *texts) {
            PyErr_Format(dfl_py_error, "there is no option '%s'", name);
            return -1;
        }
        *texts[i].field = text;
    }
    return 0;
}

static PyObject *found(const dfl_task *task)
{
    const dfl_task_report *r = dfl_task_about(task);
    return Py_BuildValue("(zzzO)", r->json, r->text, r->note, r->completed ? Py_True : Py_False);
}

PyObject *dfl_py_task(PyObject *self, PyObject *args)
{
    const dfl_model *model = dfl_py_model(self);
    const char *name;
    PyObject *settings, *given, *of, *kept_settings = NULL, *kept_of = NULL, *out = NULL;
    dfl_task_options options = {0};
    dfl_task *task = NULL;
    if (!model || !PyArg_ParseTuple(args, "sOO!O", &name, &settings, &PyDict_Type, &given, &of) ||
        take_numbers(&options, given) || take_texts(&options, given))
        return NULL;
    const char **choices = dfl_py_texts(&options.nsettings, &kept_settings, settings);
    const char **names = choices ? dfl_py_texts(&options.nof, &kept_of, of) : NULL;
    dfl_context *ctx = names ? dfl_context_create() : NULL;
    dfl_status status = DFL_NO_MEMORY;
    if (ctx) {
        options.settings = choices;
        options.of = names;
        PyThreadState *state = PyEval_SaveThread();
        status = dfl_model_task(&task, ctx, model, name, &options);
        PyEval_RestoreThread(state);
    }
    if (status)
        dfl_py_raise(ctx, status);
    else
        out = found(task);
    dfl_task_free(task);
    dfl_context_free(ctx);
    PyMem_Free(choices);
    PyMem_Free(names);
    Py_XDECREF(kept_settings);
    Py_XDECREF(kept_of);
    return out;
}
