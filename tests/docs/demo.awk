# Prints the ```text block that follows the line <!-- output of the demo -->.
/^<!-- output of the demo -->$/ { wanted = 1 }
/^```/ {
    if (inside)
        exit
    inside = wanted && $0 == "```text"
    next
}
inside { print }
