# What the studies have in common; each of them reads this file first.
set -e
studies=examples/studies

# quietly COMMAND...: without its stdout.
quietly() {
    "$@" >/dev/null
}

# number NAME FILE: the first number of this name in a JSON document of npunet.
number() {
    awk -v name="\"$1\": " '
        { at = index($0, name) }
        at { print substr($0, at + length(name)) + 0; exit }' OFMT=%.3f "$2"
}

# part NAME FILE: the part of this name of the whole difference in a compare.json, in ns.
part() {
    awk -v name="\"$1\": " '
        /^ *"gap_ns"/ { print substr($0, index($0, name) + length(name)) + 0; exit }' \
        OFMT=%.3f "$2"
}

# network FILE LINE...: prints a network.yml with these lines besides.
network() {
    cat "$1"
    shift
    printf '%s\n' "$@"
}
