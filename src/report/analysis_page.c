/* analysis_page.c: the result of an analysis as one HTML page that needs nothing else; the
   beginning of all pages. */
#include "report/report_internal.h"

#include <string.h>

void dfl_page_head(dfl_text *text, const char *title, const char *kind)
{
    dfl_text_add(text,
                 "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                 "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
                 "<meta name=\"generator\" content=\"driftless " DFL_VERSION "\">\n<title>");
    dfl_markup_add(text, title);
    dfl_text_add(text, " - Driftless</title>\n<style>");
    dfl_text_bytes(text, (const char *)dfl_viewer_css, dfl_viewer_css_length);
    dfl_text_add(
        text,
        "</style>\n</head>\n<body>\n"
        "<noscript>This report draws its plots and its animation with JavaScript, which is "
        "switched off here. Nothing is loaded from elsewhere.</noscript>\n"
        "<div id=\"report\"></div>\n"
        "<script type=\"application/json\" id=\"data\" data-kind=\"%s\">",
        kind);
}

dfl_status dfl_analysis_page(dfl_text *page, const char *title, const char *json)
{
    if (dfl_viewer_js_length == 0)
        return dfl_fail(page->ctx, DFL_INVALID,
                        "this driftless was built without Node.js and cannot make pages; install "
                        "nodejs and npm and build it again, or use --output FILE.json");
    dfl_page_head(page, title, "analysis");
    while (*json) { /* JSON has "<" only inside strings */
        const size_t plain = strcspn(json, "<");
        dfl_text_bytes(page, json, plain);
        json += plain;
        if (*json++)
            dfl_text_add(page, "\\u003c");
        else
            break;
    }
    dfl_text_add(page, "</script>\n<script>");
    dfl_text_bytes(page, (const char *)dfl_viewer_js, dfl_viewer_js_length);
    dfl_text_add(page, "</script>\n</body>\n</html>\n");
    return page->status;
}
