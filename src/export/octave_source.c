/* octave_source.c: a model as a folder of m-files for Octave and Matlab.

   Blocks that belong together share one function and with it their common subexpressions. */
#define _POSIX_C_SOURCE 200809L

#include "export/source_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BLOCKS = 8 };

/* One m-file, NAME_part.m, and the blocks that it computes. */
typedef struct block_file {
    const char *part, *meaning;
    int count;
    dfl_block_id block[MOST_BLOCKS];
} block_file;

static const block_file files_of_blocks[] = {
    {"_kinematics", "Derivatives of the positions, p' = kin", 1, {DFL_BLOCK_KIN}},
    {"_mass", "Mass matrix", 1, {DFL_BLOCK_M}},
    {"_force", "Forces without constraint forces", 1, {DFL_BLOCK_F}},
    {"_dynamic", "Derivatives of the dynamic variables, r' = b", 1, {DFL_BLOCK_B}},
    {"_auxiliary", "Residuals of the auxiliary equations", 1, {DFL_BLOCK_D}},
    {"_contact", "Residuals of the contact equations", 1, {DFL_BLOCK_C}},
    {"_constraints",
     "Constraints 0 = g, 0 = gI = dg/dt, 0 = hv, 0 = W a + bias",
     5,
     {DFL_BLOCK_G, DFL_BLOCK_GI, DFL_BLOCK_HV, DFL_BLOCK_W, DFL_BLOCK_BIAS}},
    {"_invariants",
     "Invariants minus their levels, e with and ep without velocities",
     2,
     {DFL_BLOCK_E, DFL_BLOCK_EP}},
    {"_massless",
     "Balance along massless directions, 0 = gam = K0^T f",
     2,
     {DFL_BLOCK_GAM, DFL_BLOCK_K0}},
    {"_outputs", "Outputs of the model", 1, {DFL_BLOCK_OUTPUTS}},
    {"_events", "Functions whose zeros are events", 1, {DFL_BLOCK_EVENTS}},
    {"_energy", "Kinetic and potential energy", 1, {DFL_BLOCK_ENERGY}},
    {"_jacobian",
     "Derivatives of all rows",
     8,
     {DFL_BLOCK_J_D, DFL_BLOCK_J_ACC, DFL_BLOCK_J_VEL, DFL_BLOCK_J_GAM, DFL_BLOCK_J_POS,
      DFL_BLOCK_J_B, DFL_BLOCK_J_DYN, DFL_BLOCK_J_KIN}},
};
enum { BLOCK_FILES = sizeof files_of_blocks / sizeof *files_of_blocks };

/* What the steps below share. */
typedef struct export_job {
    dfl_source source;
    const char *folder;
    dfl_text *files;
    dfl_text list;               /* of functions, for the help of NAME_model.m */
    dfl_tape *tape[BLOCK_FILES]; /* NULL where the model has none of the blocks */
} export_job;

static dfl_status make_folder(const export_job *job);
static dfl_status write_blocks(export_job *job);
static bool is_present(const dfl_source *source, const block_file *file);
static dfl_status write_block_file(export_job *job, int number);
static void write_results(dfl_text *text, const dfl_source *source, const block_file *file);
static void write_help(dfl_text *text, const dfl_source *source, const block_file *file);
static dfl_status write_spline_file(export_job *job);
static dfl_status write_other_files(export_job *job);
static dfl_status save(export_job *job, const char *part, dfl_text *text);
static void add_to_list(export_job *job, const char *part, const char *meaning);

dfl_status dfl_export_octave(dfl_text *files, const dfl_equations *eq,
                             const dfl_export_start *start, const char *folder)
{
    export_job job = {.folder = folder, .files = files, .list = {.ctx = eq->model->ctx}};
    dfl_status status = dfl_source_init(&job.source, eq, start);
    if (!status)
        status = make_folder(&job);
    if (!status)
        status = write_blocks(&job);
    if (!status && eq->graph->nsplines)
        status = write_spline_file(&job);
    if (!status)
        status = write_other_files(&job);
    if (!status)
        status = files->status;
    for (int i = 0; i < BLOCK_FILES; i++)
        dfl_tape_free(job.tape[i]);
    dfl_text_clear(&job.list);
    dfl_source_clear(&job.source);
    return status;
}

static dfl_status make_folder(const export_job *job)
{
    struct stat about;
    if (!mkdir(job->folder, 0777) ||
        (errno == EEXIST && !stat(job->folder, &about) && S_ISDIR(about.st_mode)))
        return DFL_OK;
    return dfl_fail(job->source.ctx, DFL_INVALID, "folder '%s' cannot be made: %s", job->folder,
                    strerror(errno));
}

/* ------------------------------------------------------------------------------- blocks */

static dfl_status write_blocks(export_job *job)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < BLOCK_FILES; i++)
        if (is_present(&job->source, &files_of_blocks[i]))
            status = write_block_file(job, i);
    return status;
}

static bool is_present(const dfl_source *source, const block_file *file)
{
    for (int i = 0; i < file->count; i++)
        if (dfl_block_size(&source->block[file->block[i]]))
            return true;
    return false;
}

static dfl_status write_block_file(export_job *job, int number)
{
    static const char *const inputs[DFL_SOURCE_ARRAYS] = {"t", "x", "a", "par"};
    const block_file *file = &files_of_blocks[number];
    const dfl_source *source = &job->source;
    dfl_text text = {.ctx = source->ctx};
    dfl_status status = dfl_source_tape(&job->tape[number], source, file->block, file->count);
    const char *variables[MOST_BLOCKS];
    dfl_text_add(&text, "function ");
    write_results(&text, source, file);
    dfl_text_add(&text, " = %s%s(t, x, %spar)\n", source->name, file->part,
                 dfl_source_takes_a(source, file->block[0]) ? "a, " : "");
    write_help(&text, source, file);
    for (int i = 0; i < file->count; i++) {
        const dfl_block *block = &source->block[file->block[i]];
        variables[i] = block->variable;
        dfl_text_add(&text, "%s = zeros(%d, %d);\n", block->variable, block->rows, block->cols);
    }
    if (!status)
        status = dfl_emit_octave(&text, job->tape[number], inputs, variables, source->name);
    dfl_text_add(&text, "end\n");
    if (!status)
        status = save(job, file->part, &text);
    add_to_list(job, file->part, file->meaning);
    dfl_text_clear(&text);
    return status;
}

/* One variable, a list of them, or the struct of all derivatives. */
static void write_results(dfl_text *text, const dfl_source *source, const block_file *file)
{
    if (file->block[0] >= DFL_BLOCK_J_D) {
        dfl_text_add(text, "J");
        return;
    }
    for (int i = 0; i < file->count; i++)
        dfl_text_add(text, "%s%s",
                     i > 0             ? ", "
                     : file->count > 1 ? "["
                                       : "",
                     source->block[file->block[i]].variable);
    dfl_text_add(text, file->count > 1 ? "]" : "");
}

static void write_help(dfl_text *text, const dfl_source *source, const block_file *file)
{
    dfl_octave_title(text, source, file->part, file->meaning);
    dfl_text_add(text, "%%   t: time, x: all unknowns, par: parameters, as help %s_model shows.\n",
                 source->name);
    for (int i = 0; i < file->count; i++) {
        const dfl_block *block = &source->block[file->block[i]];
        if (dfl_block_size(block))
            dfl_text_add(text, "%%   %s (%d x %d): %s\n", block->variable, block->rows, block->cols,
                         block->meaning);
        else
            dfl_text_add(text, "%%   %s: empty\n", block->variable);
    }
}

/* The tables of all tapes, in one function. */
static dfl_status write_spline_file(export_job *job)
{
    const dfl_tape *present[BLOCK_FILES];
    int count = 0;
    for (int i = 0; i < BLOCK_FILES; i++)
        if (job->tape[i])
            present[count++] = job->tape[i];
    dfl_text text = {.ctx = job->source.ctx};
    dfl_status status = dfl_emit_octave_spline(&text, present, count, job->source.name);
    if (!status)
        status = save(job, "_spline", &text);
    dfl_text_clear(&text);
    return status;
}

/* ------------------------------------------------------------------------------- the others */

static dfl_status write_other_files(export_job *job)
{
    const struct {
        const char *part, *meaning;
        void (*write)(dfl_text *text, const dfl_source *source);
    } others[] = {
        {"_rhs", "Right-hand side of the ODE", dfl_octave_rhs},
        {"_residual", "The equations as a DAE of index 1", dfl_octave_residual},
        {"_parameters", "Default values of parameters and inputs", dfl_octave_parameters},
        {"_initial", "Initial values", dfl_octave_initial},
    };
    dfl_text text = {.ctx = job->source.ctx};
    dfl_status status = DFL_OK;
    for (size_t i = job->source.no_ode ? 1 : 0; !status && i < sizeof others / sizeof *others;
         i++) {
        others[i].write(&text, &job->source);
        status = save(job, others[i].part, &text);
        add_to_list(job, others[i].part, others[i].meaning);
        dfl_text_clear(&text);
    }
    if (!status)
        status = job->list.status;
    if (!status) {
        dfl_octave_main(&text, &job->source, dfl_text_string(&job->list));
        status = save(job, "_model", &text);
    }
    dfl_text_clear(&text);
    return status;
}

/* Writes `text` to NAMEpart.m and notes the file. */
static dfl_status save(export_job *job, const char *part, dfl_text *text)
{
    dfl_text path = {.ctx = job->source.ctx};
    dfl_text_add(&path, "%s/%s%s.m", job->folder, job->source.name, part);
    dfl_status status = path.status ? path.status : text->status;
    if (!status)
        status = dfl_write_file(text->ctx, path.data, dfl_text_string(text), text->length);
    if (!status)
        dfl_text_add(job->files, "%s\n", path.data);
    dfl_text_clear(&path);
    return status;
}

static void add_to_list(export_job *job, const char *part, const char *meaning)
{
    dfl_text_add(&job->list, "%%     %s%-14s %s\n", job->source.name, part, meaning);
}
