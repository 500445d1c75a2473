/* fuzz_result.c: bytes as changes of a stored result, which `view` then reads. Every data set of
   the layout of result/hdf5.c may be missing, be a group, or have another type, rank, size or
   content.

   The file itself is a sound HDF5 file: the HDF5 library does not survive files whose own structure
   is damaged at random, and its errors are not ours to find. */
#include "bytes.h"
#include "report/report.h"

#include <hdf5.h>
#include <unistd.h>

enum { MOST_VALUES = 4096 };

/* A data set as driftless writes it. */
typedef struct set {
    const char *path;
    char type; /* d: numbers, i: integers, s: texts */
    int rank;
    hsize_t size[2];
} set;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
static void write_file(const char *path, bytes *b);
static void write_set(hid_t file, const set *it, bytes *b);
static hid_t type_of(char type, bytes *b, bool usual);
static void fill(char *out, size_t size, char type, const char *path, bytes *b, bool usual);
static herr_t refuse_print(hid_t stack, void *user);

static const set layout[] = {
    {"time", 'd', 1, {3, 0}},
    {"state", 'd', 2, {3, 2}},
    {"outputs", 'd', 2, {3, 1}},
    {"residuals", 'd', 2, {3, 8}},
    {"steps/time", 'd', 1, {3, 0}},
    {"steps/size", 'd', 1, {3, 0}},
    {"steps/order", 'i', 1, {3, 0}},
    {"steps/rejections", 'i', 1, {3, 0}},
    {"steps/energy", 'd', 1, {3, 0}},
    {"events/time", 'd', 1, {2, 0}},
    {"events/event", 'd', 1, {2, 0}},
    {"events/direction", 'd', 1, {2, 0}},
    {"initial/given", 'd', 1, {2, 0}},
    {"initial/corrected", 'd', 1, {2, 0}},
    {"initial/held", 'i', 1, {2, 0}},
    {"scene/shapes", 's', 0, {1, 0}},
    {"scene/values", 'd', 2, {3, 4}},
    {"meta/model", 's', 0, {1, 0}},
    {"meta/version", 's', 0, {1, 0}},
    {"meta/text", 's', 0, {1, 0}},
    {"meta/status", 's', 0, {1, 0}},
    {"meta/message", 's', 0, {1, 0}},
    {"meta/warnings", 's', 0, {1, 0}},
    {"meta/names/state", 's', 1, {2, 0}},
    {"meta/names/outputs", 's', 1, {1, 0}},
    {"meta/names/kinds", 's', 1, {2, 0}},
    {"meta/names/units", 's', 1, {3, 0}},
    {"meta/names/events", 's', 1, {2, 0}},
    {"meta/parameters/names", 's', 1, {2, 0}},
    {"meta/parameters/units", 's', 1, {2, 0}},
    {"meta/parameters/values", 'd', 1, {2, 0}},
    {"meta/options/to", 'd', 0, {1, 0}},
    {"meta/options/form", 's', 0, {1, 0}},
    {"meta/statistics/accepted", 'i', 0, {1, 0}},
    {"meta/statistics/max_residual", 'd', 1, {8, 0}},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char from[100], to[2][100];
    bytes b = {data, size};
    if (!from[0]) {
        const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
        snprintf(from, sizeof from, "%.60s/fuzz-result-%d.h5", folder, (int)getpid());
        snprintf(to[0], sizeof to[0], "%.60s/fuzz-result-%d.svg", folder, (int)getpid());
        snprintf(to[1], sizeof to[1], "%.60s/fuzz-result-%d.html", folder, (int)getpid());
        H5Eset_auto2(H5E_DEFAULT, refuse_print, NULL);
    }
    const bool page = take_flag(&b);
    static const char *const columns[] = {NULL, "residuals", "energy", "steps",
                                          "x",  "x,der(x)",  ","};
    const char *chosen = columns[take_choice(&b, 7)];
    write_file(from, &b);
    dfl_context *ctx = dfl_context_create();
    ALWAYS(ctx);
    const dfl_status status = dfl_report_stored(ctx, from, to[page], page ? NULL : chosen);
    ALWAYS(!status || dfl_message(ctx)[0]);
    ALWAYS(dfl_context_live(ctx) == 0);
    dfl_context_free(ctx);
    unlink(from);
    unlink(to[page]);
    return 0;
}

static void write_file(const char *path, bytes *b)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ALWAYS(file >= 0);
    for (size_t i = 0; i < sizeof layout / sizeof *layout; i++)
        write_set(file, &layout[i], b);
    H5Fclose(file);
}

/* As it should be if the next byte is small, otherwise with one or more changes. */
static void write_set(hid_t file, const set *it, bytes *b)
{
    static char values[MOST_VALUES * 64];
    const unsigned change = take_byte(b);
    const bool usual = change < 128;
    set s = *it;
    const hid_t link = H5Pcreate(H5P_LINK_CREATE), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(link, 1);
    if (!usual && change & 1)
        s.type = "disv"[take_choice(b, 4)];
    if (!usual && change & 2)
        s.rank = take_choice(b, 4);
    hsize_t size[3] = {s.size[0], s.size[1], 1};
    if (!usual && change & 4) {
        static const hsize_t odd[] = {0, 1, 2, 7, 100, 65536, (hsize_t)1 << 25, (hsize_t)1 << 40};
        size[0] = odd[take_choice(b, 8)];
        size[1] = odd[take_choice(b, 8)];
    }
    if (!usual && (change & 24) == 24) { /* a group in its place, or nothing */
        if (take_flag(b))
            H5Gclose(H5Gcreate2(file, s.path, link, H5P_DEFAULT, H5P_DEFAULT));
        s.rank = -1;
    }
    hsize_t count = 1;
    for (int i = 0; i < s.rank; i++)
        count = size[i] > 0 && count < MOST_VALUES + 1 ? count * size[i] : count;
    const hid_t type = type_of(s.type, b, usual);
    const hid_t space = s.rank < 0    ? -1
                        : s.rank == 0 ? H5Screate(H5S_SCALAR)
                                      : H5Screate_simple(s.rank, size, NULL);
    if (s.rank >= 0) {
        if (count > MOST_VALUES) /* it takes no room in the file */
            H5Pset_alloc_time(how, H5D_ALLOC_TIME_LATE);
        const hid_t set = H5Dcreate2(file, s.path, type, space, link, how, H5P_DEFAULT);
        if (set >= 0 && count <= MOST_VALUES && s.type != 'v') {
            const size_t each = H5Tget_size(type);
            for (hsize_t i = 0; i < count; i++)
                fill(values + i * each, each, s.type, s.path, b, usual);
            H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        }
        if (set >= 0)
            H5Dclose(set);
        H5Sclose(space);
    }
    H5Tclose(type);
    H5Pclose(how);
    H5Pclose(link);
}

/* 'v': texts of variable length. */
static hid_t type_of(char type, bytes *b, bool usual)
{
    if (type == 'd')
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    if (type == 'i')
        return H5Tcopy(usual || take_flag(b) ? H5T_NATIVE_LLONG : H5T_NATIVE_FLOAT);
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, type == 'v' ? H5T_VARIABLE : usual ? 16 : 1 + (size_t)take_choice(b, 63));
    return text;
}

static void fill(char *out, size_t size, char type, const char *path, bytes *b, bool usual)
{
    const double number = usual ? 1.0 : take_number(b);
    const long long integer = usual ? 1 : (long long)take_size(b, 100) * 1000003;
    memset(out, 0, size);
    if (type == 'd')
        memcpy(out, &number, sizeof number);
    else if (type == 'i')
        memcpy(out, &integer, size < sizeof integer ? size : sizeof integer);
    else if (usual)
        snprintf(out, size, "%s", strstr(path, "shapes") ? "{\"shapes\":[]}" : "x");
    else
        for (size_t i = 0; i < size; i++)
            out[i] = (char)take_byte(b);
}

static herr_t refuse_print(hid_t stack, void *user)
{
    (void)stack;
    (void)user;
    return 0;
}
