/* no_viewer.c: takes the place of the viewer where Driftless is built without Node.js. */
#include "report/report_internal.h"

const unsigned char dfl_viewer_css[] = {0}, dfl_viewer_js[] = {0};
const size_t dfl_viewer_css_length = 0, dfl_viewer_js_length = 0;
