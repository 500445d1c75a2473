/* hdf5_values.c: texts, numbers and names in an HDF5 file, and HDF5's errors in words. */
#include "result/hdf5_internal.h"

#include <stdio.h>
#include <string.h>

static bool put(hid_t group, const char *name, hid_t file_type, hid_t type, int rank, hsize_t count,
                const void *data);
static hid_t text_type(size_t size, H5T_cset_t set);
static herr_t innermost(unsigned n, const H5E_error2_t *error, void *user);

bool dfl_h5_text(hid_t group, const char *name, const char *text)
{
    const hid_t type = text_type(strlen(text), H5T_CSET_ASCII);
    const bool done = type >= 0 && put(group, name, type, type, 0, 1, text);
    H5Tclose(type);
    return done;
}

bool dfl_h5_texts(dfl_context *ctx, hid_t group, const char *name, const char *const *texts,
                  int count)
{
    size_t size = 1;
    for (int i = 0; i < count; i++)
        size = strlen(texts[i]) > size ? strlen(texts[i]) : size;
    char *padded = dfl_alloc(ctx, (size_t)count, size);
    if (!padded)
        return false;
    const hid_t type = text_type(size, H5T_CSET_ASCII);
    for (int i = 0; i < count; i++)
        memcpy(padded + (size_t)i * size, texts[i], strlen(texts[i]));
    const bool done = type >= 0 && put(group, name, type, type, 1, (hsize_t)count, padded);
    H5Tclose(type);
    dfl_free(ctx, padded);
    return done;
}

bool dfl_h5_number(hid_t group, const char *name, double number)
{
    return put(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, 1, &number);
}

bool dfl_h5_integer(hid_t group, const char *name, long integer)
{
    return put(group, name, H5T_STD_I64LE, H5T_NATIVE_LONG, 0, 1, &integer);
}

bool dfl_h5_numbers(hid_t group, const char *name, const double *numbers, int count)
{
    return put(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, (hsize_t)count, numbers);
}

bool dfl_h5_flags(hid_t group, const char *name, const unsigned char *flags, int count)
{
    return put(group, name, H5T_STD_U8LE, H5T_NATIVE_UCHAR, 1, (hsize_t)count, flags);
}

bool dfl_h5_names(hid_t object, const char *name, const char *const *names, int count)
{
    const hsize_t length = (hsize_t)count;
    const hid_t type = text_type(H5T_VARIABLE, H5T_CSET_UTF8);
    const hid_t space = H5Screate_simple(1, &length, NULL);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool done = attribute >= 0 && (count == 0 || H5Awrite(attribute, type, names) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return done;
}

herr_t dfl_h5_record(hid_t stack, void *reason)
{
    char *text = reason;
    return text[0] ? 0 : H5Ewalk2(stack, H5E_WALK_UPWARD, innermost, text);
}

static bool put(hid_t group, const char *name, hid_t file_type, hid_t type, int rank, hsize_t count,
                const void *data)
{
    if (H5Lexists(group, name, H5P_DEFAULT) > 0 && H5Ldelete(group, name, H5P_DEFAULT) < 0)
        return false;
    const hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(how, false); /* the same contents have the same bytes */
    const hid_t set = H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    const bool done = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    H5Dclose(set);
    H5Sclose(space);
    return done;
}

static hid_t text_type(size_t size, H5T_cset_t set)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_cset(type, set);
    H5Tset_strpad(type, size == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
    H5Tset_size(type, size > 0 ? size : 1);
    return type;
}

/* The first one of the walk is where the error was detected. Errors of the operating system read:
   ..., errno = 28, error message = 'No space left on device', ... */
static herr_t innermost(unsigned n, const H5E_error2_t *error, void *user)
{
    if (n > 0 || !error->desc)
        return 0;
    const char *quoted = strstr(error->desc, "error message = '");
    const char *text = quoted ? strchr(quoted, '\'') + 1 : error->desc;
    const size_t length = quoted ? strcspn(text, "'") : strlen(text);
    snprintf(user, DFL_H5_REASON, "%.*s", (int)length, text);
    return 0;
}
