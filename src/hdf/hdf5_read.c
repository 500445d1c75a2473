/* hdf5_read.c: values and tables of an HDF5 file. */
#include "hdf/hdf.h"

#include "context/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXTS = 1 << 24, PER_BLOCK = 100 /* bytes that an allocation takes beyond its own */ };

/* Names of a group. */
typedef struct name_list {
    dfl_h5_file *file;
    int count, most;
    char **text;
} name_list;

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *user);
static int by_name(const void *a, const void *b);
static herr_t note_errors(hid_t stack, void *quiet);
static herr_t note_memory(unsigned n, const H5E_error2_t *error, void *quiet);
static void *allocate(dfl_h5_file *file, size_t count, size_t size);
static hsize_t count_of(hid_t set);
static size_t text_size(hid_t set);

void dfl_h5_silence(dfl_h5_quiet *quiet)
{
    H5Eget_auto2(H5E_DEFAULT, &quiet->print, &quiet->user);
    quiet->no_memory = false;
    H5Eset_auto2(H5E_DEFAULT, note_errors, quiet);
}

void dfl_h5_speak(const dfl_h5_quiet *quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet->print, quiet->user);
}

char *dfl_h5_get_text(dfl_h5_file *file, const char *path)
{
    int count;
    char **texts = dfl_h5_get_texts(&count, file, path), *text = NULL;
    if (count == 1) {
        text = texts[0];
        texts[0] = NULL;
    }
    dfl_h5_free_texts(texts, count, file->ctx);
    return text;
}

/* Texts of fixed length, padded with zeros. */
char **dfl_h5_get_texts(int *count, dfl_h5_file *file, const char *path)
{
    const hid_t set = dfl_h5_open_set(file, path, false);
    const size_t size = text_size(set);
    const hsize_t n = set >= 0 ? count_of(set) : 0;
    char **texts = NULL, *bytes = NULL;
    *count = 0;
    if (set >= 0 && n < MOST_TEXTS) {
        const hid_t type = H5Dget_type(set);
        texts = allocate(file, (size_t)n + 1, sizeof *texts);
        bytes = allocate(file, (size_t)n * size + 1, 1);
        if (texts && bytes &&
            (n == 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0))
            *count = (int)n;
        H5Tclose(type);
    }
    for (int i = 0; i < *count; i++) {
        texts[i] = allocate(file, size + 1, 1);
        if (texts[i])
            memcpy(texts[i], bytes + (size_t)i * size, size);
        else
            *count = i; /* dfl_h5_free_texts frees those before */
    }
    dfl_free(file->ctx, bytes);
    H5Dclose(set);
    return texts;
}

void dfl_h5_free_texts(char **texts, int count, dfl_context *ctx)
{
    for (int i = 0; texts && i < count; i++)
        dfl_free(ctx, texts[i]);
    dfl_free(ctx, texts);
}

double *dfl_h5_get_numbers(int *count, dfl_h5_file *file, const char *path)
{
    const hid_t set = dfl_h5_open_set(file, path, true);
    const hsize_t n = count_of(set);
    double *numbers = NULL;
    *count = 0;
    if (n > 0 && n < MOST_TEXTS) {
        numbers = allocate(file, (size_t)n, sizeof *numbers);
        if (numbers && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0)
            *count = (int)n;
    }
    H5Dclose(set);
    return numbers;
}

double dfl_h5_get_number(dfl_h5_file *file, const char *path)
{
    const hid_t set = dfl_h5_open_set(file, path, true);
    double number = NAN;
    if (count_of(set) == 1 &&
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &number) < 0)
        number = NAN;
    H5Dclose(set);
    return number;
}

/* In the order of the file, since HDF5 1.10 crashes when it sorts the links of damaged groups. */
char **dfl_h5_get_names(int *count, dfl_h5_file *file, const char *path)
{
    H5G_info_t info;
    *count = 0;
    if (!dfl_h5_is_inside(file, path) ||
        H5Gget_info_by_name(file->id, path, &info, H5P_DEFAULT) < 0 || info.nlinks > MOST_TEXTS)
        return NULL;
    name_list list = {.file = file, .most = (int)info.nlinks};
    list.text = allocate(file, (size_t)info.nlinks + 1, sizeof *list.text);
    if (!list.text)
        return NULL;
    H5Literate_by_name(file->id, path, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, add_name, &list,
                       H5P_DEFAULT);
    qsort(list.text, (size_t)list.count, sizeof *list.text, by_name);
    *count = list.count;
    return list.text;
}

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    name_list *list = user;
    (void)group;
    (void)info;
    char *copy = list->count < list->most ? allocate(list->file, strlen(name) + 1, 1) : NULL;
    if (!copy)
        return 1; /* ends it */
    list->text[list->count++] = strcpy(copy, name);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

dfl_h5_table dfl_h5_open_table(dfl_h5_file *file, const char *path)
{
    dfl_h5_table table = {.data = dfl_h5_open_set(file, path, true)};
    const hid_t space = table.data >= 0 ? H5Dget_space(table.data) : -1;
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    hsize_t size[2] = {0, 1};
    if ((rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, size, NULL) >= 0 &&
        size[1] < MOST_TEXTS) {
        table.rows = size[0];
        table.columns = rank == 1 ? 1 : (int)size[1];
    }
    H5Sclose(space);
    return table;
}

void dfl_h5_close_table(dfl_h5_table *table)
{
    H5Dclose(table->data);
    *table = (dfl_h5_table){.data = -1};
}

bool dfl_h5_get_rows(double *out, const dfl_h5_table *table, hsize_t first, hsize_t count)
{
    const hsize_t start[2] = {first, 0}, size[2] = {count, (hsize_t)table->columns};
    if (table->columns == 0)
        return true;
    const hid_t from = H5Dget_space(table->data);
    const int rank = H5Sget_simple_extent_ndims(from);
    const hid_t to = H5Screate_simple(rank, size, NULL);
    const bool done = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                      H5Dread(table->data, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, out) >= 0;
    H5Sclose(to);
    H5Sclose(from);
    return done;
}

/* HDF5 calls this when one of its functions fails, also for data that is simply missing. */
static herr_t note_errors(hid_t stack, void *quiet)
{
    return H5Ewalk2(stack, H5E_WALK_DOWNWARD, note_memory, quiet);
}

static herr_t note_memory(unsigned n, const H5E_error2_t *error, void *quiet)
{
    (void)n;
    if (error->maj_num == H5E_RESOURCE || error->min_num == H5E_NOSPACE ||
        error->min_num == H5E_CANTALLOC)
        ((dfl_h5_quiet *)quiet)->no_memory = true;
    return 0;
}

/* Within the room of the file; NULL: its status says why. */
static void *allocate(dfl_h5_file *file, size_t count, size_t size)
{
    if (file->status || !dfl_h5_reserve(file, (double)count * (double)size + PER_BLOCK))
        return NULL;
    void *block = dfl_alloc(file->ctx, count, size);
    if (!block)
        file->status = DFL_NO_MEMORY;
    return block;
}

static hsize_t count_of(hid_t set)
{
    const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    H5Sclose(space);
    return count > 0 ? (hsize_t)count : 0;
}

/* The length of texts of fixed length. */
static size_t text_size(hid_t set)
{
    const hid_t type = set >= 0 ? H5Dget_type(set) : -1;
    const size_t size = type >= 0 ? H5Tget_size(type) : 0;
    H5Tclose(type);
    return size;
}
