# Writes each ```octave block of a Markdown file to TO-LINE.m and the ```text block that follows it to
# TO-LINE.expected.
/^```/ {
    if (block) { # the end of a block
        if (block == "text")
            program = ""
        block = ""
    } else {
        block = substr($0, 4)
        if (block == "octave")
            program = to "-" NR + 1
        else if (block != "text")
            block = "other"
    }
    next
}
block == "octave" { print > (program ".m") }
block == "text" && program { print > (program ".expected") }
