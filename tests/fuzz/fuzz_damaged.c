/* fuzz_damaged.c: bytes as damage to a real result, which `view` then reads, or to a real study,
   which `view` reads and `sweep --resume` goes on with. The result is that of a run with impacts,
   branches, events and a scene; the study has four of its six cases. What a file contains is left
   out, exchanged, linked to other places, cut, extended or overwritten, and bytes of its stored
   values change in the file.

   Bytes between the values are left alone: the HDF5 library does not survive files whose own
   structure is damaged at random, and its errors are not ours to find. A file that is cut short it
   refuses. */
#define _POSIX_C_SOURCE 200809L
#include "bytes.h"
#include "report/report.h"

#include <driftless/sweep.h>
#include <hdf5.h>
#include <unistd.h>

enum { MOST_NODES = 200, LONGEST = 100, MOST_CHANGES = 8, MOST_SPANS = 200 };

/* Where the file keeps values. */
typedef struct span {
    haddr_t start;
    hsize_t size;
} span;

/* A sound file, and what it contains where. */
typedef struct source {
    char path[100];
    char node[MOST_NODES][LONGEST]; /* paths of groups and data sets */
    int nnodes;
    span spans[MOST_SPANS];
    int nspans;
} source;

static char damaged[100], shown[2][100], table[100];
static source result, study;
static dfl_context *kept;
static dfl_model *vibration; /* of the study */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
static void make_files(void);
static void make_study(void);
static void note_contents(source *from);
static void copy_file(const source *from);
static herr_t note_node(hid_t file, const char *name, const H5L_info_t *info, void *user);
static void note_values(source *from, hid_t set);
static void change(hid_t file, const source *from, bytes *b);
static void overwrite(hid_t file, const char *path, bytes *b);
static void extend(hid_t file, const char *path, bytes *b);
static void exchange(hid_t file, const source *from, const char *path, const char *other, bytes *b);
static void retype(hid_t file, const char *path, bytes *b);
static void damage_bytes(const source *from, bytes *b);
static dfl_status go_on(dfl_context *ctx);
static herr_t refuse_print(hid_t stack, void *user);

/* A ball that bounces with friction against a side wind that depends on its place. */
static const char model[] =
    "local x, y, turn = position('x', 'y', 'turn')\n"
    "mass(x, 1) mass(y, 1) mass(turn, 0.004)\n"
    "force(x, select(x - 0.1, -1, 1)) force(y, -9.81)\n"
    "unilateral('floor', y - 0.1, { restitution = 0.7, friction = 0.2,\n"
    "  slip = velocity(x) - 0.1*velocity(turn) })\n"
    "output('height', y) event('half', y - 0.15)\n"
    "draw.sphere('ball', { x, y }, { radius = 0.1 })\n"
    "initial{ x = 0, y = 0.2, turn = 0, ['der(x)'] = 2, ['der(y)'] = 0, ['der(turn)'] = -40 }\n"
    "simulate{ to = 0.3, rtol = 1e-6, every = 0.02 }\n";

/* A vibration whose zeros are events, as a study varies it. */
static const char varied[] =
    "local x = position('x') local stiffness = param('stiffness', 100)\n"
    "mass(x, 1) force(x, -stiffness*x) output('energy', stiffness*x^2/2) event('zero', x)\n"
    "initial{ x = 1, ['der(x)'] = 0 } simulate{ to = 0.3, rtol = 1e-6 }\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    if (!kept)
        make_files();
    const unsigned which = take_byte(&b);
    const bool page = which & 1;
    const source *from = which & 2 ? &study : &result;
    copy_file(from);
    static const char *const columns[] = {NULL, "residuals", "energy", "steps", "x", "height", ","};
    const char *chosen = columns[take_choice(&b, 7)];
    const int changes = take_choice(&b, MOST_CHANGES);
    const hid_t file = H5Fopen(damaged, H5F_ACC_RDWR, H5P_DEFAULT);
    ALWAYS(file >= 0);
    for (int i = 0; i < changes; i++)
        change(file, from, &b);
    H5Fclose(file);
    if (changes == 0) /* places are still those of the original */
        damage_bytes(from, &b);
    dfl_context *ctx = dfl_context_create();
    ALWAYS(ctx);
    const dfl_status status =
        from == &result ? dfl_report_stored(ctx, damaged, shown[page], page ? NULL : chosen)
        : page          ? dfl_sweep_page(ctx, damaged, shown[page])
                        : go_on(ctx);
    ALWAYS(!status || dfl_message(ctx)[0]);
    ALWAYS(dfl_context_live(ctx) == 0);
    dfl_context_free(ctx);
    unlink(damaged);
    unlink(shown[page]);
    return 0;
}

/* As `sweep --resume`: the missing cases run, and what is there is summed up. A damaged file may
   ask for a million cases: those of few alone. */
static dfl_status go_on(dfl_context *ctx)
{
    enum { FEW = 20 };
    const dfl_sweep_options options = {.resume = damaged, .case_seconds = 5};
    dfl_sweep *sweep = NULL;
    dfl_status status = dfl_sweep_create(&sweep, ctx, vibration, &options);
    if (!status && dfl_sweep_so_far(sweep).cases <= FEW) {
        dfl_estimate mean, deviation;
        status = dfl_sweep_start(sweep, 1);
        while (!status && !dfl_sweep_wait(sweep, 1))
            ;
        if (!status)
            status = dfl_sweep_finish(sweep);
        if (!status)
            status = dfl_sweep_write_csv(sweep, table);
        const char *const *names;
        int parameters;
        const int numbers = dfl_sweep_columns(sweep, &names, &parameters) - parameters;
        for (int i = 0; !status && i < numbers; i++)
            status = dfl_sweep_statistics(&mean, &deviation, sweep, i,
                                          &(dfl_bootstrap){.resamples = 10, .threads = 1});
    }
    dfl_sweep_free(sweep);
    unlink(table);
    return status;
}

/* Runs the model once for all inputs, alone and in a study. */
static void make_files(void)
{
    dfl_model *ball = NULL;
    dfl_run *run = NULL;
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    const int id = (int)getpid();
    snprintf(result.path, sizeof result.path, "%.50s/fuzz-original-%d.h5", folder, id);
    snprintf(study.path, sizeof study.path, "%.50s/fuzz-study-%d.h5", folder, id);
    snprintf(damaged, sizeof damaged, "%.50s/fuzz-damaged-%d.h5", folder, id);
    snprintf(shown[0], sizeof shown[0], "%.50s/fuzz-damaged-%d.svg", folder, id);
    snprintf(shown[1], sizeof shown[1], "%.50s/fuzz-damaged-%d.html", folder, id);
    snprintf(table, sizeof table, "%.50s/fuzz-damaged-%d.csv", folder, id);
    H5Eset_auto2(H5E_DEFAULT, refuse_print, NULL);
    kept = dfl_context_create();
    ALWAYS(kept && !dfl_model_load_text(&ball, kept, "ball", model, strlen(model), NULL));
    ALWAYS(!dfl_run_create(&run, kept, ball, NULL) && !dfl_run_write(run, result.path));
    ALWAYS(!dfl_run_start(run) && !dfl_run_finish(run));
    dfl_run_free(run);
    dfl_model_free(ball);
    note_contents(&result);
    make_study();
    note_contents(&study);
}

/* Two of six cases are still missing. */
static void make_study(void)
{
    static const char *const samples[] = {"stiffness=uniform(50,150)"}, *const rows[] = {
                                                                            "every=0.05"};
    const dfl_sweep_options options = {.nsample = 1,
                                       .sample = samples,
                                       .count = 6,
                                       .nsettings = 1,
                                       .settings = rows,
                                       .output = study.path};
    dfl_sweep *sweep = NULL, *others = NULL;
    static char jobs[10000], results[100000];
    ALWAYS(!dfl_model_load_text(&vibration, kept, "vibration", varied, strlen(varied), NULL));
    ALWAYS(!dfl_sweep_create(&sweep, kept, vibration, &options));
    dfl_sweep_options elsewhere = options;
    elsewhere.elsewhere = true;
    elsewhere.output = NULL;
    ALWAYS(!dfl_sweep_create(&others, kept, vibration, &elsewhere));
    ALWAYS(4 * dfl_sweep_job_size(sweep) <= sizeof jobs &&
           4 * dfl_sweep_result_size(sweep) <= sizeof results);
    const int handed = dfl_sweep_hand_out(jobs, sweep, 4, 1);
    ALWAYS(handed == 4 && !dfl_sweep_start(others, 1));
    ALWAYS(!dfl_sweep_add_jobs(others, jobs, handed) && !dfl_sweep_add_jobs(others, NULL, 0));
    while (!dfl_sweep_wait(others, 1))
        ;
    ALWAYS(dfl_sweep_collect(results, others, 4) == 4 && !dfl_sweep_store(sweep, results, 4));
    dfl_sweep_free(others);
    dfl_sweep_free(sweep);
}

static void note_contents(source *from)
{
    const hid_t file = H5Fopen(from->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    ALWAYS(file >= 0 && H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, note_node, from) >= 0);
    ALWAYS(from == &study || (H5Lexists(file, "switches/time", H5P_DEFAULT) > 0 &&
                              H5Lexists(file, "impulses/value", H5P_DEFAULT) > 0));
    ALWAYS(from->nnodes > 0 && from->nspans > 0);
    H5Fclose(file);
}

static herr_t note_node(hid_t file, const char *name, const H5L_info_t *info, void *user)
{
    (void)info;
    source *from = user;
    if (from->nnodes == MOST_NODES || strlen(name) >= LONGEST)
        return 0;
    strcpy(from->node[from->nnodes++], name);
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    if (H5Iget_type(object) == H5I_DATASET)
        note_values(from, object);
    H5Oclose(object);
    return 0;
}

/* Values in one piece, or in chunks. */
static void note_values(source *from, hid_t set)
{
    const haddr_t whole = H5Dget_offset(set);
    hsize_t count = 0, size = H5Dget_storage_size(set);
    if (whole != HADDR_UNDEF && size > 0 && from->nspans < MOST_SPANS)
        from->spans[from->nspans++] = (span){whole, size};
    const hid_t space = H5Dget_space(set);
    if (whole == HADDR_UNDEF && H5Dget_num_chunks(set, space, &count) < 0)
        count = 0;
    for (hsize_t i = 0; i < count && from->nspans < MOST_SPANS; i++) {
        hsize_t place[2];
        unsigned filters;
        haddr_t start;
        if (H5Dget_chunk_info(set, space, i, place, &filters, &start, &size) >= 0)
            from->spans[from->nspans++] = (span){start, size};
    }
    H5Sclose(space);
}

static void copy_file(const source *from)
{
    static char buffer[1 << 20];
    FILE *sound = fopen(from->path, "rb"), *to = fopen(damaged, "wb");
    ALWAYS(sound && to);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, sound)) > 0;)
        ALWAYS(fwrite(buffer, 1, n, to) == n);
    fclose(sound);
    fclose(to);
}

/* One change of what the file contains. */
static void change(hid_t file, const source *from, bytes *b)
{
    const char *path = from->node[take_byte(b) % (unsigned)from->nnodes];
    const char *other = from->node[take_byte(b) % (unsigned)from->nnodes];
    switch (take_choice(b, 6)) {
    case 0:
        H5Ldelete(file, path, H5P_DEFAULT);
        break;
    case 1:
        exchange(file, from, path, other, b);
        break;
    case 2:
        extend(file, path, b);
        break;
    case 3:
        retype(file, path, b);
        break;
    default:
        overwrite(file, path, b);
    }
}

/* Numbers become others, texts arbitrary bytes. */
static void overwrite(hid_t file, const char *path, bytes *b)
{
    static char values[1 << 16];
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0)
        return;
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const size_t each = H5Tget_size(type), room = sizeof values / (each > 8 ? each : 8);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const bool number = H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER;
    const hid_t as = number ? H5T_NATIVE_DOUBLE : type;
    if (count > 0 && (size_t)count <= room && !H5Tis_variable_str(type) &&
        H5Dread(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) {
        const size_t at = take_byte(b) % (size_t)count;
        const double value = take_flag(b) ? take_number(b) : (double)take_size(b, 20);
        if (number)
            memcpy(values + at * sizeof value, &value, sizeof value);
        for (size_t i = 0; !number && i < each && i < 8; i++)
            values[at * each + i] = (char)take_byte(b);
        H5Dwrite(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

/* Series may have any number of rows and columns. */
static void extend(hid_t file, const char *path, bytes *b)
{
    static const hsize_t sizes[] = {0, 1, 2, 7, 100, 65536, (hsize_t)1 << 25, (hsize_t)1 << 40};
    const hsize_t size[2] = {sizes[take_choice(b, 8)], sizes[take_choice(b, 8)]};
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0)
        return;
    const hid_t space = H5Dget_space(set);
    if (H5Sget_simple_extent_ndims(space) <= 2)
        H5Dset_extent(set, size);
    H5Sclose(space);
    H5Dclose(set);
}

/* Another part of the file in this place: the same one twice, a soft or an external link. A group
   may come to contain itself. */
static void exchange(hid_t file, const source *from, const char *path, const char *other, bytes *b)
{
    const int kind = take_choice(b, 4);
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0 || H5Lexists(file, other, H5P_DEFAULT) <= 0)
        return;
    H5Ldelete(file, path, H5P_DEFAULT);
    if (kind == 0)
        H5Lcreate_soft(other, file, path, H5P_DEFAULT, H5P_DEFAULT);
    else if (kind == 1)
        H5Lcreate_external(from->path, other, file, path, H5P_DEFAULT, H5P_DEFAULT);
    else
        H5Lcreate_hard(file, other, file, path, H5P_DEFAULT, H5P_DEFAULT);
}

/* The same shape with values of another type, or another number of dimensions. */
static void retype(hid_t file, const char *path, bytes *b)
{
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0)
        return;
    hid_t space = H5Dget_space(set);
    H5Dclose(set);
    const hid_t types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_LLONG, H5T_NATIVE_FLOAT,
                           H5T_STD_REF_OBJ,   H5T_C_S1,         H5T_STD_I8BE};
    const hid_t type = H5Tcopy(types[take_choice(b, 6)]);
    if (H5Tget_class(type) == H5T_STRING)
        H5Tset_size(type, take_flag(b) ? H5T_VARIABLE : 5);
    if (take_byte(b) > 200) {
        const hsize_t cube[3] = {2, 2, 2};
        H5Sclose(space);
        space = H5Screate_simple(3, cube, NULL);
    }
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(how, H5D_ALLOC_TIME_LATE);
    H5Ldelete(file, path, H5P_DEFAULT);
    hsize_t size[3] = {0}, most[3] = {0};
    const int rank = H5Sget_simple_extent_dims(space, size, most);
    if (rank > 0)
        H5Sset_extent_simple(space, rank, size, NULL);
    const hid_t made = H5Dcreate2(file, path, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (made >= 0)
        H5Dclose(made);
    H5Pclose(how);
    H5Tclose(type);
    H5Sclose(space);
}

/* Bytes of stored values change, or the file ends early. */
static void damage_bytes(const source *from, bytes *b)
{
    FILE *file = fopen(damaged, "r+b");
    ALWAYS(file);
    const int count = 1 + take_choice(b, 30);
    for (int i = 0; i < count; i++) {
        const span *at = &from->spans[take_byte(b) % (unsigned)from->nspans];
        const unsigned long place = take_byte(b) | take_byte(b) << 8;
        const int byte = (int)take_byte(b);
        fseek(file, (long)(at->start + place % at->size), SEEK_SET);
        fputc(byte, file);
    }
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    fclose(file);
    if (take_byte(b) > 220)
        ALWAYS(truncate(damaged, size * (long)take_byte(b) / 256) == 0);
}

static herr_t refuse_print(hid_t stack, void *user)
{
    (void)stack;
    (void)user;
    return 0;
}
