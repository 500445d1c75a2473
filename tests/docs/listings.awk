# Writes the listings of a Markdown file about models to the folder TO, and one line per step to do:
#   lua LINE FILE           a ```lua block; ```lua NAME gives the file this name
#   sh  LINE FILE EXPECTED  a ```sh block; EXPECTED is the ```text block that follows it, or -
/^```/ {
    if (block) { # the end of a block
        close(file)
        if (block == "lua")
            print "lua", at, file
        block = ""
        next
    }
    block = $1 == "```lua" ? "lua" : $1 == "```sh" ? "sh" : $1 == "```text" && command ? "text" : "other"
    at = NR + 1
    if (block == "lua")
        file = to "/" ($2 != "" ? $2 : "line-" at ".lua")
    else if (block == "sh") {
        finish()
        command = file = to "/line-" at ".sh"
        place = at
    } else if (block == "text")
        expected = file = to "/line-" at ".expected"
    if (block == "lua" || block == "other")
        finish()
    next
}
block == "lua" || block == "sh" || block == "text" { print > file }
!block && !/^[ \t]*$/ { finish() }
END { finish() }
function finish() {
    if (command)
        print "sh", place, command, expected ? expected : "-"
    command = expected = ""
}
