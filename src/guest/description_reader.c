/* description_reader.c: what co-simulation needs of modelDescription.xml, read by Expat. */
#include "guest/guest_internal.h"

#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    dfl_guest_description *out;
    dfl_context *ctx;
    dfl_status status;
    dfl_guest_variable scalar; /* of FMI 2.0: its type is a child */
} reader;

static const char *attribute(const char **all, const char *name)
{
    for (; *all; all += 2)
        if (!strcmp(all[0], name))
            return all[1];
    return NULL;
}

static double number(const char **all, const char *name)
{
    const char *text = attribute(all, name);
    return text ? strtod(text, NULL) : NAN;
}

static void copy(char **out, reader *r, const char *text)
{
    if (!text || *out)
        return;
    *out = dfl_copy_string(r->ctx, text);
    if (!*out)
        r->status = DFL_NO_MEMORY;
}

static void add_variable(reader *r, const dfl_guest_variable *variable)
{
    dfl_guest_description *out = r->out;
    dfl_guest_variable *grown =
        dfl_grow(r->ctx, out->variables, &out->room, out->count, sizeof *grown);
    if (!grown) {
        dfl_free(r->ctx, variable->name);
        r->status = DFL_NO_MEMORY;
        return;
    }
    out->variables = grown;
    grown[out->count++] = *variable;
}

static void take_variable(reader *r, const char **all)
{
    static const char *const causality[] = {"parameter", "input", "output", "local"};
    const char *name = attribute(all, "name"), *is = attribute(all, "causality");
    const char *reference = attribute(all, "valueReference");
    dfl_guest_variable variable = {.causality = is ? DFL_GUEST_OTHER : DFL_GUEST_LOCAL};
    for (int i = 0; is && i < 4; i++)
        if (!strcmp(is, causality[i]))
            variable.causality = (dfl_guest_causality)i;
    variable.reference = reference ? (unsigned)strtoul(reference, NULL, 10) : 0;
    copy(&variable.name, r, name ? name : "");
    dfl_free(r->ctx, r->scalar.name);
    r->scalar = variable;
}

/* FMI 2.0: <ScalarVariable ...><Real/>; 3.0: <Float64 .../>, and no <Dimension/> in it. */
static void begin(void *user, const char *name, const char **all)
{
    reader *r = user;
    dfl_guest_description *out = r->out;
    if (r->status)
        return;
    if (!strcmp(name, "fmiModelDescription")) {
        const char *version = attribute(all, "fmiVersion");
        out->version = version ? atoi(version) : 0;
        copy(&out->model, r, attribute(all, "modelName"));
        copy(&out->token, r, attribute(all, out->version == 3 ? "instantiationToken" : "guid"));
    } else if (!strcmp(name, "CoSimulation")) {
        copy(&out->identifier, r, attribute(all, "modelIdentifier"));
    } else if (!strcmp(name, "DefaultExperiment")) {
        out->start = number(all, "startTime");
        out->stop = number(all, "stopTime");
        out->tolerance = number(all, "tolerance");
        out->step = number(all, "stepSize");
    } else if (!strcmp(name, "ScalarVariable") || !strcmp(name, "Float64")) {
        take_variable(r, all);
    } else if (!strcmp(name, "Dimension")) {
        dfl_free(r->ctx, r->scalar.name);
        r->scalar.name = NULL;
    } else if (!strcmp(name, "Real") && r->scalar.name) {
        add_variable(r, &r->scalar);
        r->scalar.name = NULL;
    }
}

static void end(void *user, const char *name)
{
    reader *r = user;
    if (!strcmp(name, "Float64") && r->scalar.name && !r->status) {
        add_variable(r, &r->scalar);
        r->scalar.name = NULL;
    }
}

static dfl_status check(const dfl_guest_description *out, dfl_context *ctx)
{
    if (out->version != 2 && out->version != 3)
        return dfl_fail(ctx, DFL_INVALID, "the FMU is not of FMI 2.0 or 3.0");
    if (!out->identifier)
        return dfl_fail(ctx, DFL_INVALID,
                        "the FMU has no co-simulation; FMUs for model exchange cannot be run");
    if (!out->token || strspn(out->identifier, "/.") == strlen(out->identifier) ||
        strchr(out->identifier, '/'))
        return dfl_fail(ctx, DFL_INVALID, "the description of the FMU names no model");
    return DFL_OK;
}

dfl_status dfl_guest_read(dfl_guest_description *out, dfl_context *ctx, const dfl_text *xml)
{
    reader r = {.out = out, .ctx = ctx};
    *out = (dfl_guest_description){.start = NAN, .stop = NAN, .tolerance = NAN, .step = NAN};
    XML_Parser parser = XML_ParserCreate(NULL);
    if (!parser)
        return DFL_NO_MEMORY;
    XML_SetUserData(parser, &r);
    XML_SetElementHandler(parser, begin, end);
    const enum XML_Status read = XML_Parse(parser, dfl_text_string(xml), (int)xml->length, 1);
    dfl_status status = r.status;
    if (!status && read != XML_STATUS_OK)
        status = dfl_fail(ctx, DFL_INVALID, "modelDescription.xml of the FMU, line %lu: %s",
                          (unsigned long)XML_GetCurrentLineNumber(parser),
                          XML_ErrorString(XML_GetErrorCode(parser)));
    XML_ParserFree(parser);
    dfl_free(ctx, r.scalar.name);
    return status ? status : check(out, ctx);
}

void dfl_guest_description_clear(dfl_guest_description *description, dfl_context *ctx)
{
    for (int i = 0; i < description->count; i++)
        dfl_free(ctx, description->variables[i].name);
    dfl_free(ctx, description->variables);
    dfl_free(ctx, description->model);
    dfl_free(ctx, description->token);
    dfl_free(ctx, description->identifier);
}

/* A name without the quotes of the standard, as results have it. */
static bool same_name(const char *quoted, const char *name, size_t length)
{
    for (; *quoted; quoted++) {
        if (*quoted == '\'')
            continue;
        if (length == 0 || *quoted != *name)
            return false;
        name++;
        length--;
    }
    return length == 0;
}

int dfl_guest_find(const dfl_guest_description *description, const char *name, size_t length)
{
    for (int i = 0; i < description->count; i++)
        if (same_name(description->variables[i].name, name, length) ||
            (strlen(description->variables[i].name) == length &&
             !strncmp(description->variables[i].name, name, length)))
            return i;
    return -1;
}
