# Writes each complete program (a ```c block whose first line is an #include) of a Markdown file to
# TO-LINE.c and the ```text block that follows it to TO-LINE.expected.
/^```/ {
    if (block) { # the end of a block
        if (block == "text")
            program = ""
        block = ""
    } else {
        block = substr($0, 4)
        if (block == "")
            block = "other"
        else if (block == "c") {
            block = "first line"
            at = NR + 1
        }
    }
    next
}
block == "first line" {
    block = /^#include/ ? "program" : "fragment"
    if (block == "program")
        program = to "-" at
}
block == "program" { print > (program ".c") }
block == "text" && program { print > (program ".expected") }
