/* hdf5_guard.c: what of an HDF5 file may be read.

   A file from elsewhere may refer to any file that its reader can open (soft and external links,
   external and virtual storage), and may declare sizes that it does not have: they are checked
   before anything is read or allocated. Compression can be right in a file that was packed, but
   deflate makes data at most 1032 times smaller. */
#define _POSIX_C_SOURCE 200809L
#include "hdf/hdf.h"

#include "context/context.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_PATH = 400, MOST_DIMENSIONS = 32 };
static const double base_room = 64e6;      /* bytes for any file, ... */
static const double room_per_byte = 64;    /* ... and per byte of the file */
static const double most_packed = 1100;    /* bytes declared per byte stored */
static const double largest_chunk = 256e6; /* bytes that HDF5 unpacks at once */

static bool open_with(dfl_h5_file *out, hid_t access, double size);
static bool refuse(dfl_h5_file *file, const char *path, const char *why);
static bool stored_here(dfl_h5_file *file, const char *path, hid_t how);
static bool has_type(hid_t set, bool number, size_t *size);
static bool plausible(dfl_h5_file *file, const char *path, hid_t set, hid_t how, size_t size);
static double declared_count(hid_t set);
static double chunk_count(hid_t how);

bool dfl_h5_open_file(dfl_h5_file *out, dfl_context *ctx, const char *path)
{
    struct stat info;
    *out = (dfl_h5_file){.ctx = ctx, .path = path, .id = -1};
    if (stat(path, &info) || !S_ISREG(info.st_mode))
        return false;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, false, true); /* a run in progress has locked its file */
#endif
    return open_with(out, access, (double)info.st_size);
}

bool dfl_h5_open_bytes(dfl_h5_file *out, dfl_context *ctx, const char *path, const void *bytes,
                       size_t size)
{
    *out = (dfl_h5_file){.ctx = ctx, .path = path, .id = -1};
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (H5Pset_fapl_core(access, 1 << 16, false) < 0 ||
        H5Pset_file_image(access, (void *)bytes, size) < 0) { /* HDF5 copies them */
        H5Pclose(access);
        return false;
    }
    return open_with(out, access, (double)size);
}

static bool open_with(dfl_h5_file *out, hid_t access, double size)
{
    out->room = base_room + room_per_byte * size;
    out->id = H5Fopen(out->path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return out->id >= 0;
}

void dfl_h5_close_file(dfl_h5_file *file)
{
    if (file->id >= 0)
        H5Fclose(file->id);
    file->id = -1;
}

bool dfl_h5_reserve(dfl_h5_file *file, double bytes)
{
    file->room -= bytes;
    return file->room >= 0 || refuse(file, NULL,
                                     "its contents would need more memory than a file of "
                                     "its size can; it is damaged");
}

/* Remembers the first one. */
static bool refuse(dfl_h5_file *file, const char *path, const char *why)
{
    if (!file->status)
        file->status = dfl_fail(file->ctx, DFL_INVALID, "'%s' is not read: %s%s%s%s", file->path,
                                path ? "'" : "", path ? path : "", path ? "' " : "", why);
    return false;
}

/* Every part of the path is a member of the one before. */
bool dfl_h5_is_inside(dfl_h5_file *file, const char *path)
{
    char part[LONGEST_PATH];
    if (strlen(path) >= sizeof part)
        return false;
    for (size_t end = 0; path[end]; end += path[end] == '/') {
        H5L_info_t info;
        end += strcspn(path + end, "/");
        snprintf(part, sizeof part, "%.*s", (int)end, path);
        if (H5Lget_info(file->id, part, &info, H5P_DEFAULT) < 0)
            return false;
        if (info.type != H5L_TYPE_HARD)
            return refuse(file, part, "is a link; only data of the file itself is read");
    }
    return true;
}

hid_t dfl_h5_open_set(dfl_h5_file *file, const char *path, bool number)
{
    H5O_info_t object;
    if (!dfl_h5_is_inside(file, path) ||
        H5Oget_info_by_name(file->id, path, &object, H5P_DEFAULT) < 0 ||
        object.type != H5O_TYPE_DATASET)
        return -1;
    size_t size = 0;
    const hid_t set = H5Dopen2(file->id, path, H5P_DEFAULT);
    const hid_t how = set < 0 ? -1 : H5Dget_create_plist(set);
    const bool good = how >= 0 && stored_here(file, path, how) && has_type(set, number, &size) &&
                      plausible(file, path, set, how, size);
    H5Pclose(how);
    if (good || set < 0)
        return set;
    H5Dclose(set);
    return -1;
}

static bool stored_here(dfl_h5_file *file, const char *path, hid_t how)
{
    if (H5Pget_layout(how) == H5D_VIRTUAL || H5Pget_external_count(how) != 0)
        return refuse(file, path, "is stored in other files, which are not read");
    return true;
}

/* Numbers, or texts of fixed length; and the size of one. */
static bool has_type(hid_t set, bool number, size_t *size)
{
    const hid_t type = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(type);
    *size = H5Tget_size(type);
    const bool good = number ? class == H5T_INTEGER || class == H5T_FLOAT
                             : class == H5T_STRING && H5Tis_variable_str(type) == 0;
    H5Tclose(type);
    return good;
}

static bool plausible(dfl_h5_file *file, const char *path, hid_t set, hid_t how, size_t size)
{
    const double bytes = (double)size * declared_count(set);
    const double stored = (double)H5Dget_storage_size(set);
    if (bytes > most_packed * stored || (double)size * chunk_count(how) > largest_chunk)
        return refuse(file, path, "declares more than the file contains");
    return true;
}

/* As a floating-point number, which does not overflow. */
static double declared_count(hid_t set)
{
    hsize_t size[MOST_DIMENSIONS];
    double count = 1;
    const hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_dims(space, size, NULL);
    for (int i = 0; i < rank; i++)
        count *= (double)size[i];
    H5Sclose(space);
    return count;
}

static double chunk_count(hid_t how)
{
    hsize_t size[MOST_DIMENSIONS];
    double count = 1;
    const int rank =
        H5Pget_layout(how) == H5D_CHUNKED ? H5Pget_chunk(how, MOST_DIMENSIONS, size) : 0;
    for (int i = 0; i < rank; i++)
        count *= (double)size[i];
    return count;
}
