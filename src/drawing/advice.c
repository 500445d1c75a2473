/* advice.c: what `driftless check` reports about a mechanism: rows of loops that were left out,
   better joints to cut a loop, and bodies whose centre of mass seems to have been forgotten. */
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"

static dfl_status advise_cut(dfl_drawing *drawing, int loop);
static dfl_status advise_com(dfl_drawing *drawing, const dfl_placed_body *body);
static int better_cut(dfl_drawing *drawing, int loop);

dfl_status dfl_drawing_note_left_out(dfl_drawing *drawing, const dfl_placed_joint *joint,
                                     const char *const *meanings, int count, int of)
{
    if (count == 0)
        return DFL_OK;
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(&text, "%s '%s': %d of %d rows are left out, since no joint moves them (",
                 dfl_joint_types[joint->drawn.kind].name, joint->name, count, of);
    dfl_print_motions(&text, meanings, count);
    dfl_text_add(&text, ")");
    dfl_status status = text.status;
    if (!status)
        status = dfl_model_note(drawing->model, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

dfl_status dfl_drawing_advise(dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->njoints && !status; i++)
        if (drawing->joints[i].loop && drawing->nreleases == 0)
            status = advise_cut(drawing, i);
    for (int i = 0; i < drawing->nbodies && !status; i++)
        status = advise_com(drawing, &drawing->bodies[i]);
    return status;
}

static dfl_status advise_cut(dfl_drawing *drawing, int loop)
{
    const dfl_placed_joint *joint = &drawing->joints[loop];
    const int better = better_cut(drawing, loop);
    if (better < 0)
        return DFL_OK;
    const dfl_placed_joint *other = &drawing->joints[better];
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(&text,
                 "the loop through '%s' (%s, %d rows) would have %d rows if '%s' (%s) closed "
                 "it: give cut = true to '%s', so that the bodies behind it hang on '%s'",
                 joint->name, dfl_joint_types[joint->drawn.kind].name,
                 dfl_drawing_row_count(drawing, joint->drawn.kind),
                 dfl_drawing_row_count(drawing, other->drawn.kind), other->name,
                 dfl_joint_types[other->drawn.kind].name, other->name, joint->name);
    dfl_status status = text.status;
    if (!status)
        status = dfl_model_note(drawing->model, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

/* A body that turns about a point away from the origin, with its mass left at the origin. */
static dfl_status advise_com(dfl_drawing *drawing, const dfl_placed_body *body)
{
    const dfl_placed_joint *joint = &drawing->joints[body->joint];
    const bool turns = dfl_joint_turns(joint->drawn.kind);
    if (!body->com_missing || body->mass == 0 || !turns || vec_is_zero(joint->drawn.at))
        return DFL_OK;
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(&text,
                 "body '%s' has mass but no com: its centre of mass is the origin of the drawing, "
                 "away from the point of '%s'; give com if this is not intended",
                 body->name, joint->name);
    dfl_status status = text.status;
    if (!status)
        status = dfl_model_note(drawing->model, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

/* The body that the joint of `body` hangs it on. */
static int body_before(const dfl_drawing *drawing, int body)
{
    return drawing->joints[drawing->bodies[body].joint].drawn.parent;
}

static void mark_path(dfl_drawing *drawing, int body, int mark)
{
    for (; body != DFL_GROUND; body = body_before(drawing, body))
        drawing->path[body] = mark;
}

/* *best := the joint with the fewest rows, fewer than *fewest, between `body` and the ground but
   not between `other` and the ground; of several the first declared; never one with a prescribed
   motion. */
static void choose_on_path(int *best, int *fewest, dfl_drawing *drawing, int body, int other)
{
    mark_path(drawing, body, 0);
    mark_path(drawing, other, 1);
    for (; body != DFL_GROUND && !drawing->path[body]; body = body_before(drawing, body)) {
        const int i = drawing->bodies[body].joint;
        const dfl_placed_joint *joint = &drawing->joints[i];
        const int rows = dfl_drawing_row_count(drawing, joint->drawn.kind);
        if (joint->drawn.driven || rows == 0 || rows > *fewest ||
            (rows == *fewest && (*best < 0 || i > *best)))
            continue;
        *best = i;
        *fewest = rows;
    }
}

/* The joint of the loop with the fewest rows, if it has fewer than the one that closes it now, or
   -1. */
static int better_cut(dfl_drawing *drawing, int loop)
{
    const dfl_drawn_joint *closing = &drawing->joints[loop].drawn;
    int best = -1, fewest = dfl_drawing_row_count(drawing, closing->kind);
    choose_on_path(&best, &fewest, drawing, closing->parent, closing->child);
    choose_on_path(&best, &fewest, drawing, closing->child, closing->parent);
    return best;
}
