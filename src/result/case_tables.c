/* case_tables.c: the tables of a study's file, as HDF5. */
#include "result/case_internal.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const char *const table_names[CASE_TABLES] = {"cases",  "checks", "parameters", "results",
                                                     "events", "series", "messages"};
static const char *const list_names[DFL_CASE_LISTS] = {
    "names/parameters", "names/results", "names/outputs", "names/events", "names/series",
    "meta/set",         "meta/input",    "meta/settings", "meta/design"};
static const char *const text_names[DFL_CASE_TEXTS] = {"meta/kind",   "meta/model", "meta/path",
                                                       "meta/script", "meta/hash",  "meta/version"};

static bool write_meta(dfl_case_file *file, hid_t h5);
static bool create_tables(dfl_case_file *file, hid_t h5);
static hid_t create_table(const dfl_case_file *file, hid_t h5, case_table table);
static bool find_table(dfl_case_file *file, hid_t h5, case_table table, hsize_t size[3]);
static bool read_lists(dfl_case_file *file, hid_t h5);
static char **read_texts(int *count, dfl_context *ctx, hid_t h5, const char *name);
static bool read_sizes(dfl_case_file *file, hid_t h5);

bool dfl_case_tables_create(dfl_case_file *file, const char *path, char *reason)
{
    H5E_auto2_t print;
    void *user;
    H5Eget_auto2(H5E_DEFAULT, &print, &user);
    H5Eset_auto2(H5E_DEFAULT, dfl_h5_record, reason);
    const hid_t h5 = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool done = h5 >= 0 && write_meta(file, h5) && create_tables(file, h5);
    if (h5 >= 0)
        done = H5Fclose(h5) >= 0 && done;
    H5Eset_auto2(H5E_DEFAULT, print, user);
    return done;
}

static bool write_meta(dfl_case_file *file, hid_t h5)
{
    const dfl_case_layout *layout = &file->layout;
    const hid_t meta = dfl_h5_group(h5, "meta"), names = dfl_h5_group(h5, "names");
    bool done = meta >= 0 && names >= 0;
    for (int i = 0; done && i < DFL_CASE_LISTS; i++)
        done =
            layout->list[i].count == 0 ||
            dfl_h5_texts(file->ctx, h5, list_names[i], layout->list[i].text, layout->list[i].count);
    for (int i = 0; done && i < DFL_CASE_TEXTS; i++)
        done = dfl_h5_text(h5, text_names[i], layout->text[i]);
    if (done && !isnan(layout->seed))
        done = dfl_h5_number(meta, "seed", layout->seed);
    H5Gclose(meta);
    H5Gclose(names);
    return done;
}

static bool create_tables(dfl_case_file *file, hid_t h5)
{
    bool done = true;
    for (case_table table = 0; done && table < CASE_TABLES; table++) {
        if (file->bytes[table] == 0)
            continue;
        const hid_t set = create_table(file, h5, table);
        const haddr_t begin = set >= 0 ? H5Dget_offset(set) : HADDR_UNDEF;
        done = begin != HADDR_UNDEF;
        file->begin[table] = done ? (off_t)begin : 0;
        H5Dclose(set);
    }
    return done;
}

/* In one piece that has its place at once; nothing is written there. */
static hid_t create_table(const dfl_case_file *file, hid_t h5, case_table table)
{
    const dfl_case_layout *layout = &file->layout;
    const hsize_t columns = file->bytes[table] / sizeof(double);
    hsize_t size[3] = {(hsize_t)layout->cases, columns, 0};
    int rank = table == TABLE_PARAMETERS || table == TABLE_RESULTS ? 2 : 1;
    hid_t text = H5I_INVALID_HID, type = H5T_IEEE_F64LE;
    if (table == TABLE_STATES)
        type = H5T_STD_U8LE;
    if (table == TABLE_CHECKS)
        type = H5T_STD_U64LE;
    if (table == TABLE_MESSAGES) {
        type = text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, DFL_CASE_MESSAGE);
    }
    if (table == TABLE_EVENTS || table == TABLE_SERIES) {
        rank = 3;
        size[2] =
            table == TABLE_EVENTS ? DFL_CASE_EVENT : (hsize_t)layout->list[DFL_CASE_SERIES].count;
        size[1] = columns / size[2];
    }
    const hid_t space = H5Screate_simple(rank, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(how, false);
    H5Pset_layout(how, H5D_CONTIGUOUS);
    H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
    const hid_t set =
        H5Dcreate2(h5, table_names[table], type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    if (text >= 0)
        H5Tclose(text);
    return set;
}

/* ------------------------------------------------------------------------------- reading */

bool dfl_case_tables_open(dfl_case_file *file, const char *path, char *reason)
{
    H5E_auto2_t print;
    void *user;
    H5Eget_auto2(H5E_DEFAULT, &print, &user);
    H5Eset_auto2(H5E_DEFAULT, dfl_h5_record, reason);
    struct stat about; /* opening a pipe would wait for its other end */
    const bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    const hid_t h5 = regular ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    const bool done = h5 >= 0 && read_lists(file, h5) && read_sizes(file, h5);
    if (h5 >= 0)
        H5Fclose(h5);
    H5Eset_auto2(H5E_DEFAULT, print, user);
    return done;
}

/* Links to other files are not followed. */
static bool is_hard(hid_t h5, const char *name)
{
    H5L_info_t info;
    return H5Lexists(h5, name, H5P_DEFAULT) > 0 && H5Lget_info(h5, name, &info, H5P_DEFAULT) >= 0 &&
           info.type == H5L_TYPE_HARD;
}

/* Numbers in other files are not read. */
static bool stored_here(hid_t set)
{
    const hid_t how = H5Dget_create_plist(set);
    const bool here = H5Pget_external_count(how) == 0 && H5Pget_layout(how) != H5D_VIRTUAL;
    H5Pclose(how);
    return here;
}

static bool is_there(hid_t h5, const char *name)
{
    char group[16];
    const char *slash = strchr(name, '/');
    snprintf(group, sizeof group, "%.*s", slash ? (int)(slash - name) : 0, name);
    if ((slash && !is_hard(h5, group)) || !is_hard(h5, name))
        return false;
    const hid_t set = H5Dopen2(h5, name, H5P_DEFAULT);
    const bool here = set >= 0 && stored_here(set);
    if (set >= 0)
        H5Dclose(set);
    return here;
}

static bool read_lists(dfl_case_file *file, hid_t h5)
{
    dfl_case_layout *layout = &file->layout;
    for (int i = 0; i < DFL_CASE_LISTS; i++) {
        int *count = &layout->list[i].count;
        file->owned[i] =
            is_there(h5, list_names[i]) ? read_texts(count, file->ctx, h5, list_names[i]) : NULL;
        layout->list[i].text = (const char *const *)file->owned[i];
        if (*count > 0 && !file->owned[i])
            return false;
    }
    for (int i = 0; i < DFL_CASE_TEXTS; i++) {
        int count = 0;
        char **text =
            is_there(h5, text_names[i]) ? read_texts(&count, file->ctx, h5, text_names[i]) : NULL;
        file->owned_text[i] = text && count == 1 ? dfl_copy_string(file->ctx, text[0]) : NULL;
        layout->text[i] = file->owned_text[i];
        dfl_free(file->ctx, text);
        if (!layout->text[i])
            return false;
    }
    return true;
}

/* Texts of a fixed length, one block of memory with the pointers in front; NULL: none. */
static char **read_texts(int *count, dfl_context *ctx, hid_t h5, const char *name)
{
    enum { MOST = 100000, LONGEST = 1 << 26, ALL = 1 << 28 };
    const hid_t set = H5Dopen2(h5, name, H5P_DEFAULT), type = H5Dget_type(set);
    const hid_t space = H5Dget_space(set);
    const hssize_t number = H5Sget_simple_extent_npoints(space);
    const size_t size = H5Tget_size(type);
    const bool fits = set >= 0 && H5Tget_class(type) == H5T_STRING &&
                      H5Tis_variable_str(type) == 0 && number > 0 && number <= MOST && size > 0 &&
                      size <= LONGEST && (size_t)number * size <= ALL;
    const size_t n = fits ? (size_t)number : 0;
    char **texts = fits ? dfl_alloc(ctx, n * (sizeof *texts + size + 1), 1) : NULL;
    char *padded = texts ? dfl_alloc(ctx, n, size) : NULL;
    if (padded && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded) >= 0) {
        for (size_t i = 0; i < n; i++) {
            texts[i] = (char *)(texts + n) + i * (size + 1);
            memcpy(texts[i], padded + i * size, size);
        }
        *count = (int)n;
    } else {
        dfl_free(ctx, texts);
        texts = NULL;
    }
    dfl_free(ctx, padded);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return texts;
}

/* The sizes of all tables have to agree. */
static bool read_sizes(dfl_case_file *file, hid_t h5)
{
    dfl_case_layout *layout = &file->layout;
    hsize_t size[3] = {0};
    const char *const *kind = &layout->text[DFL_CASE_KIND];
    if (strcmp(*kind, "study") != 0 || !find_table(file, h5, TABLE_STATES, size))
        return false;
    layout->cases = (long)size[0];
    layout->seed = NAN;
    if (is_there(h5, "meta/seed")) {
        const hid_t set = H5Dopen2(h5, "meta/seed", H5P_DEFAULT), space = H5Dget_space(set);
        if (H5Sget_simple_extent_npoints(space) == 1)
            H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &layout->seed);
        H5Sclose(space);
        H5Dclose(set);
    }
    if (layout->list[DFL_CASE_SERIES].count > 0 && find_table(file, h5, TABLE_SERIES, size))
        layout->rows = (long)size[1];
    dfl_case_measure(file);
    bool agree = true;
    for (case_table table = 0; agree && table < CASE_TABLES; table++)
        if (file->bytes[table] > 0)
            agree = find_table(file, h5, table, size) && (long)size[0] == layout->cases &&
                    (table != TABLE_RESULTS || size[1] * sizeof(double) == file->bytes[table]);
    return agree;
}

static bool find_table(dfl_case_file *file, hid_t h5, case_table table, hsize_t size[3])
{
    if (!is_there(h5, table_names[table]))
        return false;
    const hid_t set = H5Dopen2(h5, table_names[table], H5P_DEFAULT), space = H5Dget_space(set);
    const haddr_t begin = H5Dget_offset(set);
    const bool done = begin != HADDR_UNDEF && H5Sget_simple_extent_ndims(space) <= 3 &&
                      H5Sget_simple_extent_dims(space, size, NULL) > 0;
    file->begin[table] = (off_t)begin;
    H5Sclose(space);
    H5Dclose(set);
    return done;
}
