/* switch_names.c: the words for what happens at an instant. */
#include "result/result.h"

const char *const dfl_switched_names[DFL_SWITCHED_KINDS] = {"event", "sample", "impact",
                                                            "mode",  "branch", "kink"};
const char *const dfl_touching_names[DFL_TOUCHING_MODES] = {"open", "closed", "sticks", "slips",
                                                            "slips back"};
