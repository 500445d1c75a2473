/* fuzz_files.c: bytes as files that others have written: SID files, nodes and matrices of finite
   elements, FMUs and their descriptions, cases of a study, states as JSON, saved runs, measured
   values. The first byte says which one. A reader takes them or refuses them with a message, and
   keeps nothing. */
#define _POSIX_C_SOURCE 200809L
#include "bytes.h"
#include "elastic/elastic.h"
#include "guest/guest.h"
#include "result/result.h"
#include "script/separated_values.h"
#include "sweep/design.h"

#include <driftless/model.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A kind of file: reads a text that ends with '\0'. */
typedef dfl_status reader(dfl_context *ctx, const dfl_text *file);

static dfl_status read_sid(dfl_context *ctx, const dfl_text *file)
{
    dfl_sid *sid = dfl_alloc(ctx, 1, sizeof *sid);
    ALWAYS(sid);
    dfl_status status = dfl_sid_read(sid, ctx, "fuzz", dfl_text_string(file));
    if (!status)
        status = dfl_sid_check(sid, ctx, "fuzz");
    dfl_free(ctx, sid);
    return status;
}

/* Four files, which lines with '=' separate. */
static dfl_status read_finite_elements(dfl_context *ctx, const dfl_text *file)
{
    dfl_fe fe = {.ctx = ctx};
    char *part = (char *)dfl_text_string(file), *next = part;
    dfl_status status = DFL_OK;
    for (int k = 0; !status && k < 4 && next; k++, part = next) {
        next = strstr(part, "=\n");
        if (next) {
            *next = 0;
            next += 2;
        }
        status = k == 0   ? dfl_fe_read_nodes(&fe, "nodes", part)
                 : k == 1 ? dfl_fe_read_unknowns(&fe, "unknowns", part)
                          : dfl_fe_read_matrix(&fe, k == 2 ? DFL_FE_STIFFNESS : DFL_FE_MASS,
                                               "matrix", part);
    }
    if (!status)
        status = dfl_fe_complete(&fe);
    dfl_fe_clear(&fe);
    return status;
}

static dfl_status read_archive(dfl_context *ctx, const dfl_text *file)
{
    dfl_guest_description description = {0};
    const dfl_status status = dfl_guest_inspect(&description, ctx, file);
    dfl_guest_description_clear(&description, ctx);
    return status;
}

static void add_number(dfl_text *out, size_t number, int bytes)
{
    for (int i = 0; i < bytes; i++, number >>= 8)
        dfl_text_bytes(out, &(char){(char)(unsigned char)(number & 0xff)}, 1);
}

/* The bytes are the file modelDescription.xml of an archive in which it is stored as it is. */
static dfl_status read_description(dfl_context *ctx, const dfl_text *file)
{
    static const char name[] = "modelDescription.xml";
    const size_t length = sizeof name - 1, size = file->length;
    dfl_text zip = {.ctx = ctx};
    dfl_text_bytes(&zip, "PK\3\4", 4);
    add_number(&zip, 0, 22);
    add_number(&zip, length, 4);
    dfl_text_bytes(&zip, name, length);
    dfl_text_bytes(&zip, dfl_text_string(file), size);
    const size_t directory = zip.length;
    dfl_text_bytes(&zip, "PK\1\2", 4);
    add_number(&zip, 0, 16);
    add_number(&zip, size, 4);
    add_number(&zip, size, 4);
    add_number(&zip, length, 4);
    add_number(&zip, 0, 14);
    dfl_text_bytes(&zip, name, length);
    const size_t end = zip.length;
    dfl_text_bytes(&zip, "PK\5\6", 4);
    add_number(&zip, 0, 4);
    add_number(&zip, 1, 2);
    add_number(&zip, 1, 2);
    add_number(&zip, end - directory, 4);
    add_number(&zip, directory, 4);
    add_number(&zip, 0, 2);
    const dfl_status status = read_archive(ctx, &zip);
    dfl_text_clear(&zip);
    return status;
}

static dfl_status read_measured(dfl_context *ctx, const dfl_text *file)
{
    const dfl_csv csv = {.file = "fuzz", .text = dfl_text_string(file), .column = "x"};
    const size_t rows = dfl_csv_rows(csv.text);
    double *time = dfl_alloc(ctx, rows, sizeof *time), *value = dfl_alloc(ctx, rows, sizeof *value);
    int count = 0;
    ALWAYS(time && value);
    dfl_csv_is_cut(&csv);
    const dfl_status status = dfl_csv_read(time, value, &count, ctx, &csv);
    for (int i = 0; !status && i < count; i++)
        ALWAYS(isfinite(time[i]) && isfinite(value[i]));
    dfl_free(ctx, time);
    dfl_free(ctx, value);
    return status;
}

static const char *stored(const dfl_text *bytes)
{
    static char path[100];
    if (!path[0])
        snprintf(path, sizeof path, "%.60s/fuzz-file-%d",
                 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (int)getpid());
    FILE *file = fopen(path, "wb");
    ALWAYS(file && fwrite(dfl_text_string(bytes), 1, bytes->length, file) == bytes->length);
    fclose(file);
    return path;
}

static dfl_status read_cases(dfl_context *ctx, const dfl_text *file)
{
    dfl_design *design = NULL;
    const dfl_design_options options = {.cases = stored(file)};
    const dfl_status status = dfl_design_create(&design, ctx, &options);
    dfl_design_free(design);
    return status;
}

static dfl_status read_state(dfl_context *ctx, const dfl_text *file)
{
    dfl_named_values values = {0};
    const dfl_status status = dfl_named_values_read(&values, ctx, stored(file));
    dfl_named_values_clear(&values);
    return status;
}

/* As `run --start-from FILE`: a state as JSON, or a saved run. */
static dfl_status read_start(dfl_context *ctx, const dfl_text *file)
{
    static const char script[] = "local x = position('x') kinetic(velocity(x)^2/2)\n"
                                 "potential(x^2/2) initial{x = 1} simulate{to = 0.1}";
    dfl_model *model = NULL;
    dfl_run *run = NULL;
    const dfl_run_options options = {.start_from = stored(file)};
    dfl_status status = dfl_model_load_text(&model, ctx, "fuzz", script, strlen(script), NULL);
    if (!status)
        status = dfl_run_create(&run, ctx, model, &options);
    if (!status)
        status = dfl_run_start(run);
    dfl_run_free(run);
    dfl_model_free(model);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static reader *const readers[] = {
        read_sid,      read_finite_elements, read_archive, read_description,
        read_measured, read_cases,           read_state,   read_start};
    bytes b = {data, size};
    reader *read = readers[take_choice(&b, sizeof readers / sizeof *readers)];
    dfl_context *ctx = dfl_context_create();
    dfl_text file = {.ctx = ctx};
    ALWAYS(ctx);
    dfl_text_bytes(&file, (const char *)b.next, b.left);
    const dfl_status status = read(ctx, &file);
    ALWAYS(!status || dfl_message(ctx)[0]);
    dfl_text_clear(&file);
    ALWAYS(dfl_context_live(ctx) == 0);
    dfl_context_free(ctx);
    return 0;
}
