# Compares two texts word by word: usage awk -f same.awk EXPECTED ACTUAL. Numbers agree to the digits that
# EXPECTED shows: they differ by at most one unit of its last digit. Where a run's rows are shown with all digits, other
# roundings may lead to other steps: there what its tolerance leaves, 7 digits, must agree; below 1e-10 (residuals,
# drifts) the size alone. Numbers written without point and exponent must be equal.
function is_number(word) { return word ~ /^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/ }
function size(x) { return x < 0 ? -x : x }
# One unit of the last digit that a number shows.
function unit(word, exponent) {
    exponent = 0
    if (match(word, /[eE]/)) {
        exponent = substr(word, RSTART + 1) + 0
        word = substr(word, 1, RSTART - 1)
    }
    return 10 ^ (exponent - (match(word, /\./) ? length(word) - RSTART : 0))
}
function same(a, b, tolerance) {
    if (a == b)
        return 1
    if (!is_number(a) || !is_number(b) || (a b) !~ /[.eE]/)
        return 0
    tolerance = 1.001 * unit(a)
    a += 0
    b += 0
    if (tolerance < 1e-12 * size(a))
        tolerance = 1e-7 * size(a)
    return (size(a) < 1e-10 && size(b) < 1e-10) || size(a - b) <= tolerance
}
{
    sub(/[ \t]+$/, "")
    gsub(/[,;:()]/, " & ")
    if (FNR == NR) {
        expected[FNR] = $0
        lines = FNR
    } else {
        count = FNR
        words = split(expected[FNR], word)
        good = words == NF
        for (i = 1; good && i <= NF; i++)
            good = same(word[i], $i "")
        if (!good) {
            print "expected: " expected[FNR] "\n     got: " $0
            bad = 1
        }
    }
}
END {
    if (count != lines) {
        print "expected " lines " lines, got " count + 0
        bad = 1
    }
    exit bad
}
