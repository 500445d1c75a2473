# Prints every identifier of C headers, without comments, preprocessor lines, strings and keywords.
BEGIN {
    n = split("bool char const double enum extern int long size_t struct typedef unsigned void " \
              "__attribute__ format printf", word)
    for (i = 1; i <= n; i++)
        known[word[i]] = 1
}
{ text = text $0 "\n" }
END {
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", text)
    gsub(/\n#[^\n]*/, "\n", text)
    gsub(/"[^"\n]*"/, " ", text)
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (!(name in known))
            print name
    }
}
