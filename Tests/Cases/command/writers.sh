# shellcheck shell=bash
# What output.cases runs: the verbs that write a file. Of each its name, what it is like, and its words, with IN and OUT for the files.
#   any     all of them           read   it reads a file           or the name itself
#   whole   OUT has its name only when it is whole
#   strict  of a faulty log it writes nothing without --partial
#   place   it also writes into what is no file; a recording does not
writers='convert|any read whole strict place|convert --to jsonl IN OUT
trace|any read whole strict place|convert --to trace IN OUT
anonymize|any read whole strict place|anonymize --to jsonl --key Tests/Recordings/w04_mutter.jsonl IN OUT
report|any read whole place|report --to html IN -o OUT
picture|any read whole place|report --to svg IN --output=OUT
recover|any read whole place|recover IN OUT
replay|any read whole strict place|replay IN --decisions OUT
paced|any read place|replay IN --rate 1000000 --decisions OUT
record|any read|record IN OUT
serve|any place|serve s --for 1ms --decisions OUT'

# each TRAIT COMMAND: what the command prints for each verb that is so, in one line. Verbs for which it is the same stand together.
each() {
    while IFS='|' read -r name traits verb; do
        case " $name $traits " in *" $1 "*) printf '%s|%s\n' "$name" "$(eval "$2" </dev/null 2>&1 | paste -sd';')" ;; esac
    done <<<"$writers" |
        awk -F'|' '!($2 in names) { order[++count] = $2 } { names[$2] = names[$2] " " $1 }
            END { for (i = 1; i <= count; i++) print names[order[i]] ": " order[i] }' | cut -c 2-
}

# w IN OUT OPTION...: runs the verb on these files, and prints its status and why it failed. Its standard input is the log.
w() {
    local in=$1 out=$2 says status words
    shift 2
    words=${verb//IN/$in}
    says=$(settle ${words//OUT/$out} "$@" 2>&1 >/dev/null <in.settle)
    status=$?
    [ $status = 0 ] && says=
    says=$(grep '^settle: ' <<<"${says//$out/OUT}" | paste -sd' ')
    echo "$status${says:+ $says}"
}

# ends SIGNAL OUT OPTION...: ends the verb, whose log has no end, by a signal once it writes. Prints what else it ended by.
ends() {
    local signal=$1 out=$2 words
    shift 2
    words=${verb/IN/-}
    ulimit -c 0
    set -m
    tail -c +1 -f in.settle | settle ${words//OUT/$out} "$@" 2>says >/dev/null &
    if [ "$out" = pipe ]; then sleep 0.2; else until compgen -G '.settle-*.partial' >/dev/null; do sleep 0.01; done; fi
    kill "-$signal" $!
    wait $!
    [ $? = $((128 + signal)) ] || echo "$? by $signal"
    kill "$(jobs -p)"
    wait
    grep crashed says
    rm says
} 2>/dev/null

# The log that the verbs read, and a copy that shows whether it is as it was.
log() {
    settle convert Tests/Recordings/w04_mutter.jsonl in.settle
    cp in.settle same
}
