/* viewer.h: the style sheet and the program of the page, made from viewer/ when Driftless is built. */
#ifndef DFL_VIEWER_H
#define DFL_VIEWER_H

#include <stddef.h>

/* Lengths 0: built without Node.js, there are no pages. */
extern const unsigned char dfl_viewer_css[], dfl_viewer_js[];
extern const size_t dfl_viewer_css_length, dfl_viewer_js_length;

#endif
