# Compares files and includes with the table of src/README.md; see run. Input, one item per line:
#   README text          a line of src/README.md
#   FILE src/M/name.c    a file of a module
#   INCLUDE file:#include "M/name.h"

function complain(text) {
    print text
    failed = 1
}

# The words in backticks of `text`, into list; returns their number.
function quoted(list, text,    n) {
    n = 0
    while (match(text, /`[^`]*`/)) {
        list[++n] = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
    }
    return n
}

# | [module](module/README.md) | idea | `headers` | includes |
$1 == "README" && $2 == "|" && $3 ~ /^\[[a-z]+\]\(/ {
    split($0, cell, / *\| */)
    name = cell[2]
    sub(/^\[/, "", name)
    sub(/\].*/, "", name)
    row[name] = ++rows
    module[rows] = name
    n = quoted(list, cell[4])
    for (i = 1; i <= n; i++) {
        owner[list[i]] = name
        if (list[i] != name "/" name ".h" && list[i] !~ /^driftless\//)
            complain("src/README.md: " name ": the header for others is " name "/" name ".h or public, not " list[i])
    }
    n = split(cell[5], list, /, */)
    for (i = 1; i <= n; i++)
        if (list[i] != "")
            drawn[name, list[i]] = 1
    next
}

$1 == "README" && /^README The same names?:/ {
    n = quoted(list, $0)
    for (i = 1; i <= n; i++)
        same[list[i]] = 1
    next
}

$1 == "FILE" {
    split($2, part, "/")
    if (!(part[2] in row) && !(part[2] in missing)) {
        missing[part[2]] = 1
        complain("src/README.md: there is no row for src/" part[2])
    }
    name = part[3]
    sub(/\.[ch]$/, "", name)
    if ((name in home) && home[name] != part[2] && !(name in same))
        complain("src/" part[2] "/" part[3] ": src/" home[name] " has a file of this name, too; rename one")
    home[name] = part[2]
    next
}

$1 == "INCLUDE" {
    file = $2
    sub(/:.*/, "", file)
    header = $0
    sub(/^[^"<]*["<]/, "", header)
    sub(/[">].*/, "", header)
    split(file, part, "/")
    from = part[1] == "src" ? part[2] : ""
    to = header
    sub(/\/.*/, "", to)
    if (header in owner)
        to = owner[header]
    else if (header == "driftless/driftless.h" && from == "") # all public headers, for programs
        next
    else if (to == "driftless")
        complain(file ": includes " header ", which no row of src/README.md names")
    else if (to != from && to in row)
        complain(file ": includes " header ", which only " to " may include")
    if (from == "cli" && to != from && to in row && header !~ /^driftless\//)
        complain(file ": includes " header "; the program is a client of the public headers")
    if (from == "" || to == from || !(to in row))
        next
    used[from, to] = 1
    if (!((from, to) in drawn) && !((from, to) in told)) {
        told[from, to] = 1
        complain(file ": " from " includes " to ", which its row of src/README.md does not name")
    }
    next
}

END {
    for (pair in drawn) {
        split(pair, end, SUBSEP)
        if (!(end[2] in row))
            complain("src/README.md: " end[1] " includes " end[2] ", which has no row")
        else if (row[end[2]] >= row[end[1]])
            complain("src/README.md: " end[1] " includes " end[2] ", which is not above it")
        if (!(pair in used))
            complain("src/README.md: " end[1] " does not include " end[2] " any more")
    }
    if (!rows)
        complain("src/README.md has no table of modules")
    exit failed
}
