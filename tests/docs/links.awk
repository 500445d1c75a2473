# Prints the relative links of a Markdown file, without anchors; code blocks are left out.
/^```/ { code = !code }
code || /^    / { next }
{
    gsub(/`[^`]*`/, "")
    while (match($0, /\]\([^)]*\)/)) {
        link = substr($0, RSTART + 2, RLENGTH - 3)
        $0 = substr($0, RSTART + RLENGTH)
        sub(/#.*/, "", link)
        if (link != "" && link !~ /^[a-z]+:/)
            print link
    }
}
