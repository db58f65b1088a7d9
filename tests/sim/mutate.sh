#!/bin/bash
# Plants one bug after the other in a copy of the core and runs scenarios, the enumeration and the simulator against it: each must be found.
# A file in mutations/ is: a first line that says what is broken, then blocks
#     file src/core/X.c
#     <<<<
#     the exact text
#     ====
#     the text in its place
#     >>>>
# A text that is not there exactly once is a failure of the list. Usage: mutate.sh [NAME...]; mutate.sh --list only looks for the texts
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
SECONDS_MAX=60          # for one bug, from when it is planted until it is found
JOBS=2
CC=${CC:-gcc}
FLAGS="-std=c17 -O2 -g -D_GNU_SOURCE -Iinclude -w"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The unchanged core once: what a bug does not touch is linked as it is.
prepare() {
    mkdir -p "$work/tree/tests" "$work/obj"
    cp -r "$root/include" "$work/tree/include"
    mkdir -p "$work/tree/src"
    cp -r "$root/src/core" "$root/src/base" "$work/tree/src/"
    cp -r "$root/tests/sim" "$work/tree/tests/sim"
    (cd "$work/tree" && find src tests/sim -name '*.c' | xargs -P "$JOBS" -I{} sh -c \
        "$CC $FLAGS -c {} -o $work/obj/\$(echo {} | tr / _).o")
}

# change NAME ROOT: edits the sources below ROOT and prints which; fails when a text is not there once. With LOOK=1 it edits nothing.
change() {
    perl -e '
        use strict; use warnings;
        my ($list, $root) = @ARGV;
        local $/; open my $in, "<", $list or die "$list: $!\n"; my $text = <$in>; close $in;
        my $blocks = 0;
        while ($text =~ /^file (\S+)\n<<<<\n(.*?)\n====\n(.*?)\n?>>>>$/gms) {
            my ($file, $old, $new) = ($1, $2, $3);
            open my $f, "<", "$root/$file" or die "$list: $file: $!\n"; my $code = <$f>; close $f;
            my $at = index($code, $old);
            die "$list: the text is not in $file\n" if $at < 0;
            die "$list: the text is in $file more than once\n" if index($code, $old, $at + 1) >= 0;
            substr($code, $at, length $old) = $new;
            if (!$ENV{LOOK}) { open $f, ">", "$root/$file" or die "$file: $!\n"; print $f $code; close $f; }
            print "$file\n";
            $blocks++;
        }
        die "$list: no block\n" if $blocks == 0;
    ' "$here/mutations/$1.mutation" "$2"
}

# plant NAME: a tree with the bug; fails when a text is not there once.
plant() {
    local name=$1
    mkdir -p "$work/$name/obj"
    cp -r "$work/tree/src" "$work/$name/src"
    ln -s "$work/tree/include" "$work/$name/include"
    change "$name" "$work/$name" > "$work/$name/changed" || return 1
    local objects=()
    cp -l "$work"/obj/*.o "$work/$name/obj/"
    for file in $(sort -u "$work/$name/changed"); do
        local object="$work/$name/obj/$(echo "$file" | tr / _).o"
        rm -f "$object"
        (cd "$work/$name" && $CC $FLAGS -c "$file" -o "$object") || return 1
    done
    mapfile -t objects < <(ls "$work/$name"/obj/src_*.o "$work/$name"/obj/tests_sim_*.o | grep -v -e _sim_main.c -e _sim_scenario)
    $CC "${objects[@]}" "$work/$name/obj/tests_sim_main.c.o" -o "$work/$name/sim" &&
        $CC "${objects[@]}" "$work/$name"/obj/tests_sim_scenario*.o -o "$work/$name/scenario"
}

# What a program that died said last.
crash_of() {
    grep -m 1 -o "[a-z0-9_]*: Assertion .*" "$1" || echo crash
}

# try NAME: prints one line; 0 when the bug was found.
try() {
    local name=$1 start=$SECONDS by=""
    if ! plant "$name" 2> "$work/$name.err"; then
        echo "FAIL $name: cannot be planted: $(head -n 1 "$work/$name.err")"
        return 1
    fi
    cd "$work/$name"
    start=$SECONDS
    if ! timeout 30 ./scenario "$root"/tests/sim/scn/*.scn > out 2>&1; then
        by="scenario $(grep -m 1 -o '[a-z0-9_]*\.scn:[0-9]*' out || crash_of out)"
    elif ! timeout 30 ./sim --enumerate 4 > out 2>&1; then
        by="enumeration $(grep -m 1 -o 'enumeration: [IP].*' out | cut -c 14-60 || crash_of out)"
    elif ! timeout $((SECONDS_MAX + 20)) ./sim --seconds $((SECONDS_MAX - SECONDS + start)) --hours 3 > out 2>&1; then
        by="simulator $(grep -m 1 -oE 'seed [0-9]+.*: (I[0-9]+|OP|PAIR|XR|progress|core|a dry|lease)[^,]*' out |
            sed 's/, hours.*event [0-9]*//' || crash_of out)"
    fi
    rm -rf "$work/$name"
    if [ -z "$by" ] || [ $((SECONDS - start)) -gt "$SECONDS_MAX" ]; then
        echo "FAIL $name: not found in $SECONDS_MAX s"
        return 1
    fi
    echo "ok   $name, $((SECONDS - start)) s: $by"
}

# Without a bug everything holds, or a find would mean nothing.
sound() {
    local plain=("$work"/obj/src_*.o) sims
    mapfile -t sims < <(ls "$work"/obj/tests_sim_*.o | grep -v -e _sim_main.c -e _sim_scenario)
    $CC "${plain[@]}" "${sims[@]}" "$work/obj/tests_sim_main.c.o" -o "$work/plain-sim"
    $CC "${plain[@]}" "${sims[@]}" "$work"/obj/tests_sim_scenario*.o -o "$work/plain-scenario"
    "$work/plain-scenario" "$root"/tests/sim/scn/*.scn > "$work/plain" && "$work/plain-sim" --enumerate 4 >> "$work/plain" &&
        "$work/plain-sim" --seconds 10 >> "$work/plain"
}

# Every text of the list is in the core once. Cheap enough for each check.
if [ "${1:-}" = --list ]; then
    stale=0
    count=0
    for list in "$here"/mutations/*.mutation; do
        name=${list##*/}
        LOOK=1 change "${name%.mutation}" "$root" > /dev/null || stale=$((stale + 1))
        count=$((count + 1))
    done
    echo "$((count - stale)) passed, $stale failed"
    [ "$stale" -eq 0 ]
    exit
fi

prepare
if ! sound; then
    grep -E 'scn:|^sim:|enumeration: [IP]' "$work/plain" || true
    echo "mutations: the core does not hold without them"
    echo "mutations: 0 passed, 1 failed"
    exit 1
fi
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    mapfile -t names < <(cd "$here/mutations" && ls -- *.mutation | sed 's/\.mutation$//')
fi
export -f change plant try crash_of
export work here root CC FLAGS SECONDS_MAX
printf '%s\n' "${names[@]}" | xargs -P "$JOBS" -I{} bash -c 'try {}' | tee "$work/results" || true
passed=$(grep -c '^ok' "$work/results" || true)
failed=$(grep -c '^FAIL' "$work/results" || true)
slowest=$(sed -n 's/^ok *\([^,]*\), \([0-9]*\) s: .*/\2 s \1/p' "$work/results" | sort -rn | head -n 3 | paste -sd, | sed 's/,/, /g')
echo "mutations: the slowest: $slowest"
[ $((passed + failed)) -eq ${#names[@]} ] || failed=$((${#names[@]} - passed))
echo "mutations: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
