# Compares two texts word by word: usage awk -f same.awk EXPECTED ACTUAL. Words that are numbers may
# differ by 1 in 1000, and numbers below 1e-6 (residuals, drifts: rounding decides their digits) are
# equal to each other. Numbers written without point and exponent must be equal.
function is_number(word) { return word ~ /^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/ }
function size(x) { return x < 0 ? -x : x }
function same(a, b) {
    if (a == b)
        return 1
    if (!is_number(a) || !is_number(b) || (a b) !~ /[.eE]/)
        return 0
    a += 0
    b += 0
    return (size(a) < 1e-6 && size(b) < 1e-6) || size(a - b) <= 1e-3 * size(a)
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
