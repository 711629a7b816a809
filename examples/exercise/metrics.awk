# The metrics of NPU 0 from the log of a run, as scripts written for ASTRA-sim extract them: from
# lines that, split at blanks, have [workload] or [statistics] as the third word and sys[0] in the
# fifth. Such scripts take the third word of every line, so a line without one ends this too.
#
#     npunet simulate --workload-configuration=... 2>&1 | awk -f examples/exercise/metrics.awk

NF < 3 {
    print "line " NR " has no third word: " $0
    failed = 1
    exit
}

$5 !~ /^sys\[0\]/ {
    next
}

$3 == "[workload]" && /finished/ {
    sub(/.*finished, /, "")
    split($0, parts, / cycles, exposed communication | cycles\./)
    print "finished: " parts[1]
    print "exposed communication: " parts[2]
    next
}

$3 == "[workload]" || $3 == "[statistics]" {
    name = $0
    sub(/: [^:]*$/, "", name)
    sub(/.*sys\[0\],? /, "", name)
    value = $0
    sub(/.*: /, "", value)
    print name ": " value
}

END {
    exit failed
}
