/* field_names.c: messages that name options of the program, for programs that have fields. */
#include "model/run_internal.h"

#include <ctype.h>

void dfl_name_fields(dfl_context *ctx, dfl_status status)
{
    char *message = dfl_copy_string(ctx, dfl_message(ctx)), *to = message;
    if (!message)
        return;
    bool inside = false;
    for (const char *from = message; *from; from++) {
        const bool begins = from == message || !isalnum((unsigned char)from[-1]);
        inside = inside && (*from == '-' || islower((unsigned char)*from));
        if (begins && from[0] == '-' && from[1] == '-' && islower((unsigned char)from[2])) {
            inside = true;
            from += 2;
        }
        *to++ = *from;
        if (inside && *from == '-')
            to[-1] = '_';
    }
    *to = 0;
    dfl_fail(ctx, status, "%s", message);
    dfl_free(ctx, message);
}
