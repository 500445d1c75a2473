/* equations_text.c: the equations of motion for people, as text or as a LaTeX document. */
#include "export/equation_rows_internal.h"
#include "export/source_internal.h"

#include <string.h>

enum { ROWS_TOGETHER = 30 }; /* in one LaTeX environment */

/* How the rows of a section begin. */
typedef enum label_kind {
    LABEL_NAME,  /* z1 = */
    LABEL_RATE,  /* der(x) = */
    LABEL_ROW,   /* expression = expression */
    LABEL_ZERO,  /* rod: 0 = */
    LABEL_VALUE, /* energy = */
    LABEL_ENTRY, /* M[der(x), der(y)] = */
    LABEL_PLAIN  /* T + V = */
} label_kind;

static const struct {
    const char *title;
    label_kind label;
    const char *letter; /* of an entry */
    const char *latex;  /* the title in LaTeX if it differs */
    const char *sign;   /* the letter in LaTeX if it differs */
} sections[DFL_SECTIONS] = {
    [DFL_SECTION_NAMES] = {.title = "Abbreviations", .label = LABEL_NAME},
    [DFL_SECTION_KIN] = {.title = "Kinematics", .label = LABEL_RATE},
    [DFL_SECTION_MOTION] = {.title = "Equations of motion, M a = f - W^T (lambda, mu)",
                            .label = LABEL_ROW,
                            .latex = "Equations of motion, $M a = f - W^{T} (\\lambda, \\mu)$"},
    [DFL_SECTION_B] = {.title = "Dynamic variables", .label = LABEL_RATE},
    [DFL_SECTION_D] = {.title = "Auxiliary variables", .label = LABEL_ZERO},
    [DFL_SECTION_C] = {.title = "Contact variables", .label = LABEL_ZERO},
    [DFL_SECTION_G] = {.title = "Constraints, positions, g", .label = LABEL_ZERO},
    [DFL_SECTION_GI] = {.title = "Constraints, velocities, gI = dg/dt", .label = LABEL_ZERO},
    [DFL_SECTION_HV] = {.title = "Nonholonomic constraints, hv", .label = LABEL_ZERO},
    [DFL_SECTION_ACC] = {.title = "Constraints, accelerations, W a + bias", .label = LABEL_ZERO},
    [DFL_SECTION_INVARIANTS] = {.title = "Invariants (keep their initial values)",
                                .label = LABEL_VALUE},
    [DFL_SECTION_GAM] = {.title = "Balance along massless directions, K0^T f",
                         .label = LABEL_ZERO,
                         .latex = "Balance along massless directions, $K_0^{T} f$"},
    [DFL_SECTION_M] = {.title = "Mass matrix M (symmetric, entries that are not zero)",
                       .label = LABEL_ENTRY,
                       .letter = "M"},
    [DFL_SECTION_F] = {.title = "Forces f without constraint forces",
                       .label = LABEL_ENTRY,
                       .letter = "f"},
    [DFL_SECTION_W] = {.title = "Directions W of the constraint forces",
                       .label = LABEL_ENTRY,
                       .letter = "W"},
    [DFL_SECTION_BIAS] = {.title = "Bias of the acceleration level",
                          .label = LABEL_ENTRY,
                          .letter = "bias"},
    [DFL_SECTION_K0] = {.title = "Massless directions K0", .label = LABEL_ENTRY, .letter = "K0"},
    [DFL_SECTION_ENERGY] = {.title = "Energy", .label = LABEL_PLAIN},
    [DFL_SECTION_OUTPUTS] = {.title = "Outputs", .label = LABEL_VALUE},
    [DFL_SECTION_EVENTS] = {.title = "Events (zeros of)", .label = LABEL_VALUE},
    [DFL_SECTION_FRAME_R] = {.title =
                                 "Origins r of bodies (centres of mass) and frames, in world axes",
                             .label = LABEL_ENTRY,
                             .letter = "r"},
    [DFL_SECTION_FRAME_ANGLE] = {.title = "Angles phi relative to the drawing",
                                 .label = LABEL_ENTRY,
                                 .letter = "phi",
                                 .latex = "Angles $\\varphi$ relative to the drawing",
                                 .sign = "\\varphi"},
    [DFL_SECTION_FRAME_ROTATION] =
        {.title = "Rotations R, whose columns are the axes of a frame (entries "
                  "that are not zero)",
         .label = LABEL_ENTRY,
         .letter = "R"},
    [DFL_SECTION_FRAME_V] = {.title = "Velocities v of the origins (entries that are not zero)",
                             .label = LABEL_ENTRY,
                             .letter = "v"},
    [DFL_SECTION_FRAME_OMEGA] = {.title = "Angular velocities omega",
                                 .label = LABEL_ENTRY,
                                 .letter = "omega",
                                 .latex = "Angular velocities $\\omega$",
                                 .sign = "\\omega"},
    [DFL_SECTION_FRAME_A] = {.title = "Accelerations a of the origins",
                             .label = LABEL_ENTRY,
                             .letter = "a"},
    [DFL_SECTION_FRAME_ALPHA] = {.title = "Angular accelerations alpha",
                                 .label = LABEL_ENTRY,
                                 .letter = "alpha",
                                 .latex = "Angular accelerations $\\alpha$",
                                 .sign = "\\alpha"},
    [DFL_SECTION_FRAME_JV] = {.title = "Jacobians Jv of the velocities by all velocities",
                              .label = LABEL_ENTRY,
                              .letter = "Jv",
                              .latex = "Jacobians $J_v$ of the velocities by all velocities",
                              .sign = "J_v{}"},
    [DFL_SECTION_FRAME_JOMEGA] = {.title = "Jacobians Jw of the angular velocities",
                                  .label = LABEL_ENTRY,
                                  .letter = "Jw",
                                  .latex = "Jacobians $J_{\\omega}$ of the angular velocities",
                                  .sign = "J_{\\omega}{}"},
};

/* The document so far. */
typedef struct writer {
    dfl_text *text;
    const dfl_equations *eq;
    const dfl_names *names;
    const char *subject; /* of the title */
    dfl_notation notation;
    int together; /* rows in the open LaTeX environment; 0: none is open */
} writer;

static dfl_status write_all(dfl_text *text, const dfl_equations *eq, dfl_rows *rows,
                            const char *subject, dfl_notation notation);
static void write_opening(writer *w);
static void write_unknowns(writer *w);
static void write_parameters(writer *w);
static void write_title(writer *w, const char *title, const char *latex);
static void write_words(writer *w, const char *words);
static void write_name_in_line(writer *w, const char *name);
static dfl_status write_abbreviations(writer *w);
static dfl_status write_row(writer *w, const dfl_row *row);
static dfl_status write_both_sides(writer *w, const dfl_row *row);
static dfl_status write_right(writer *w, const dfl_row *row, int column);
static void write_label(dfl_text *label, const writer *w, const dfl_row *row);
static void open_row(writer *w);
static void close_rows(writer *w);

dfl_status dfl_export_equations(dfl_text *text, const dfl_equations *eq, dfl_notation notation)
{
    dfl_rows rows;
    const dfl_status status = dfl_rows_create(&rows, eq);
    return status ? status : write_all(text, eq, &rows, "equations of motion", notation);
}

dfl_status dfl_export_frames(dfl_text *text, const dfl_equations *eq, dfl_notation notation)
{
    dfl_rows rows;
    if (!eq->model->frames.count)
        return dfl_fail(eq->model->ctx, DFL_INVALID,
                        "%s has no bodies: frames belong to mechanisms; leave --frames out",
                        eq->model->path);
    const dfl_status status = dfl_rows_create_frames(&rows, eq);
    return status ? status : write_all(text, eq, &rows, "motion of bodies and frames", notation);
}

/* Clears the rows. */
static dfl_status write_all(dfl_text *text, const dfl_equations *eq, dfl_rows *rows,
                            const char *subject, dfl_notation notation)
{
    writer w = {
        .text = text, .eq = eq, .names = &rows->names, .subject = subject, .notation = notation};
    write_opening(&w);
    write_unknowns(&w);
    write_parameters(&w);
    dfl_status status = write_abbreviations(&w);
    for (int i = 0; !status && i < rows->count; i++) {
        const dfl_section section = rows->row[i].section;
        if (i == 0 || section != rows->row[i - 1].section)
            write_title(&w, sections[section].title, sections[section].latex);
        status = write_row(&w, &rows->row[i]);
    }
    close_rows(&w);
    if (notation == DFL_LATEX)
        dfl_text_add(text, "\n\\end{document}\n");
    dfl_rows_clear(rows);
    return status ? status : text->status;
}

/* ------------------------------------------------------------------------------- head */

static void write_opening(writer *w)
{
    const char *name = w->eq->model->name;
    if (w->notation == DFL_TEXT) {
        dfl_text_add(w->text, "%s: %s (Driftless " DFL_VERSION ")\n", name, w->subject);
        return;
    }
    dfl_text_add(w->text,
                 "\\documentclass[a4paper]{article}\n"
                 "\\usepackage{amsmath}\n"
                 "\\usepackage[margin=2cm]{geometry}\n"
                 "\\allowdisplaybreaks\n"
                 "\\setlength{\\parindent}{0pt}\n"
                 "\\begin{document}\n"
                 "\\section*{%c%s: ",
                 w->subject[0] - 'a' + 'A', w->subject + 1);
    write_words(w, name);
    dfl_text_add(w->text, "}\nDerived by Driftless " DFL_VERSION ".\n");
}

static void write_unknowns(writer *w)
{
    const dfl_equations *eq = w->eq;
    write_title(w, "Unknowns", NULL);
    for (int i = 0; i < eq->n; i++) {
        write_name_in_line(w, eq->x[i].name);
        write_words(w, dfl_unknown_kind(eq, i));
        dfl_text_add(w->text, w->notation == DFL_TEXT ? "\n" : "\\par\n");
    }
}

static void write_parameters(writer *w)
{
    const dfl_model *model = w->eq->model;
    if (!model->count[DFL_A_PARAM] && !model->count[DFL_AN_INPUT])
        return;
    write_title(w, "Parameters", NULL);
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind != DFL_A_PARAM && decl->kind != DFL_AN_INPUT)
            continue;
        write_name_in_line(w, decl->name);
        dfl_text_add(w->text, w->notation == DFL_TEXT ? "= " : "$= ");
        dfl_print_number(w->text, decl->value, w->notation);
        dfl_text_add(w->text, w->notation == DFL_TEXT ? "" : "$");
        if (decl->unit) {
            dfl_text_add(w->text, " ");
            write_words(w, decl->unit);
        }
        dfl_text_add(w->text, decl->kind == DFL_AN_INPUT ? " (input)" : "");
        dfl_text_add(w->text, w->notation == DFL_TEXT ? "\n" : "\\par\n");
    }
}

/* `latex`: the title in LaTeX, or NULL if it is the same. */
static void write_title(writer *w, const char *title, const char *latex)
{
    close_rows(w);
    dfl_text_add(w->text, w->notation == DFL_TEXT ? "\n" : "\n\\subsection*{");
    if (latex && w->notation == DFL_LATEX)
        dfl_text_add(w->text, "%s", latex);
    else
        write_words(w, title);
    dfl_text_add(w->text, w->notation == DFL_TEXT ? "\n" : "}\n");
}

/* Words as they are, or with LaTeX's special characters escaped. */
static void write_words(writer *w, const char *words)
{
    for (const char *c = words; *c; c++) {
        if (w->notation == DFL_TEXT || !strchr("#$%&_{}~^\\", *c))
            dfl_text_bytes(w->text, c, 1);
        else if (strchr("~^\\", *c))
            dfl_text_add(w->text, "\\char%d{}", (unsigned char)*c);
        else
            dfl_text_add(w->text, "\\%c", *c);
    }
}

/* The name at the start of a line of a list. */
static void write_name_in_line(writer *w, const char *name)
{
    if (w->notation == DFL_TEXT) {
        dfl_text_add(w->text, "  %-18s ", name);
        return;
    }
    dfl_text_add(w->text, "\\makebox[4cm][l]{$");
    dfl_print_name(w->text, name, w->notation);
    dfl_text_add(w->text, "$}");
}

/* ------------------------------------------------------------------------------- rows */

static dfl_status write_abbreviations(writer *w)
{
    dfl_status status = DFL_OK;
    if (w->names->count)
        write_title(w, sections[DFL_SECTION_NAMES].title, NULL);
    for (int i = 0; !status && i < w->names->count; i++) {
        dfl_text name = {.ctx = w->text->ctx};
        dfl_print_part_name(&name, w->names, i, w->notation);
        status = name.status;
        if (!status)
            status = write_row(w, &(dfl_row){DFL_SECTION_NAMES, name.data, NULL, DFL_NO_EXPR,
                                             w->names->expr[i], NULL});
        dfl_text_clear(&name);
    }
    return status;
}

static dfl_status write_row(writer *w, const dfl_row *row)
{
    open_row(w);
    if (row->left != DFL_NO_EXPR)
        return write_both_sides(w, row);
    dfl_text label = {.ctx = w->text->ctx};
    write_label(&label, w, row);
    dfl_text_add(w->text, "%s %s ", dfl_text_string(&label), w->notation == DFL_TEXT ? "=" : "&=");
    const int column = dfl_lines_width(dfl_text_string(&label), w->notation) + 5;
    dfl_status status = label.status;
    if (!status)
        status = write_right(w, row, column);
    dfl_text_clear(&label);
    return status;
}

/* left = right, on two lines if the left side is wide. */
static dfl_status write_both_sides(writer *w, const dfl_row *row)
{
    const dfl_graph *graph = w->eq->graph;
    const bool is_text = w->notation == DFL_TEXT;
    const int wide = is_text ? 60 : 40;
    dfl_text left = {.ctx = w->text->ctx};
    dfl_status status = DFL_OK;
    int column = 8;
    dfl_print_expr(&left, graph, row->left, w->names, w->notation);
    const int width = dfl_lines_width(dfl_text_string(&left), w->notation);
    if (width <= wide) {
        dfl_text_add(w->text, "%s %s ", dfl_text_string(&left), is_text ? "=" : "&=");
        column = width + 5;
    } else {
        dfl_text_add(w->text, "%s", is_text ? "" : "&");
        status = dfl_lines_add(w->text, graph, row->left, w->names, w->notation, 2);
        dfl_text_add(w->text, is_text ? "\n      = " : " \\\\\n&\\quad = ");
    }
    if (!status)
        status = left.status;
    if (!status)
        status = write_right(w, row, column);
    dfl_text_clear(&left);
    return status;
}

/* The right side: its name if it has one, except where the name is defined. */
static dfl_status write_right(writer *w, const dfl_row *row, int column)
{
    const uint32_t part = w->names->number[row->right];
    if (!part || row->section == DFL_SECTION_NAMES)
        return dfl_lines_add(w->text, w->eq->graph, row->right, w->names, w->notation, column);
    dfl_print_part_name(w->text, w->names, (int)part - 1, w->notation);
    return w->text->status;
}

/* The left side of the equals sign. */
static void write_label(dfl_text *label, const writer *w, const dfl_row *row)
{
    const bool is_text = w->notation == DFL_TEXT;
    const char *letter = sections[row->section].letter;
    dfl_text rate = {.ctx = label->ctx};
    switch (sections[row->section].label) {
    case LABEL_RATE:
        dfl_text_add(&rate, "der(%s)", row->name);
        dfl_print_name(label, dfl_text_string(&rate), w->notation);
        break;
    case LABEL_ZERO:
        dfl_print_name(label, row->name, w->notation);
        dfl_text_add(label, is_text ? ": 0" : ":\\quad 0");
        break;
    case LABEL_ENTRY:
        if (sections[row->section].sign && !is_text)
            dfl_text_add(label, "%s_{", sections[row->section].sign);
        else
            dfl_text_add(label,
                         is_text              ? "%s["
                         : strlen(letter) > 1 ? "\\mathrm{%s}_{"
                                              : "%s_{",
                         letter);
        dfl_print_name(label, row->name, w->notation);
        if (row->second) {
            dfl_text_add(label, is_text ? ", " : ",\\,");
            dfl_print_name(label, row->second, w->notation);
        }
        if (row->third) {
            dfl_text_add(label, is_text ? ", " : ",\\,");
            dfl_print_name(label, row->third, w->notation);
        }
        dfl_text_add(label, is_text ? "]" : "}");
        break;
    case LABEL_VALUE:
        dfl_print_name(label, row->name, w->notation);
        break;
    default:
        dfl_text_add(label, "%s", row->name);
    }
    dfl_text_clear(&rate);
}

static void open_row(writer *w)
{
    if (w->notation == DFL_TEXT) {
        dfl_text_add(w->text, w->together++ ? "\n  " : "  ");
        return;
    }
    if (w->together == ROWS_TOGETHER)
        close_rows(w);
    dfl_text_add(w->text, w->together++ ? " \\\\\n" : "\\begin{align*}\n");
}

static void close_rows(writer *w)
{
    if (w->together)
        dfl_text_add(w->text, w->notation == DFL_TEXT ? "\n" : "\n\\end{align*}\n");
    w->together = 0;
}
