#!/bin/bash
# A check that finds nothing is no check: plants a violation of each kind into a small clean tree and expects each to be found, at its lines
# and by the check named; and expects silence about the clean tree.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
output=$(mktemp)
trap 'rm -rf "$tree" "$output"' EXIT
missed=0

# A tree that breaks no rule, with what must not be mistaken for a violation.
clean_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/{src/base,src/core,src/os,src/http,include/hydra/base,include/hydra/core,include/hydra/os,scripts} \
        "$tree"/tests/{unit/core,sim,integration,support,fuzz}
    cp "$here/layers.mk" "$tree/scripts/"
    printf '#ifndef A_H\n#define A_H\nint a_one(int x);\n#endif\n' | tee "$tree"/include/hydra/{base,core,os}/a.h > "$tree/src/core/own.h"
    cat > "$tree/src/base/a.c" << 'END'
#include "hydra/base/a.h"
/* strcpy(a, b), sprintf() and time(NULL) in a comment; // and "quotes" */
static const char *const words[] = { "strcpy(", "/* no comment", "a \" quote {" };
int a_one(int x)
{
    char c = '"';
    return x + words[0][0] + c;
}
END
    cat > "$tree/src/core/core.c" << 'END'
#include "own.h"
#include "hydra/base/a.h"
#include "hydra/core/a.h"
int core_one(int x);
int core_one(int x)
{
    return a_one(x);
}
END
    cat > "$tree/src/os/clock.c" << 'END'
#include <time.h>
int os_now(void);
int os_now(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_REALTIME, &t);
}
END
    printf '#include "hydra/core/a.h"\n#include "../../../src/core/own.h"\n' > "$tree/tests/unit/core/test_a.c"
    printf 'int own_name(void);\n' > "$tree/tests/support/support.h"
    printf '#include "support.h"\n#include "hydra/os/a.h"\n#include <jansson.h>\n' > "$tree/tests/integration/r0001_a.c"
    printf '#include "hydra/core/a.h"\n#include "hydra/base/a.h"\n' > "$tree/tests/sim/sim.c"
    printf '#include "../../src/core/own.h"\n' > "$tree/tests/fuzz/fuzz_a.c"
    mkdir -p "$tree"/docs/man "$tree"/tests/golden
    for page in a.1 hydraclusterd.yaml.5 hydrabody.yaml.5 hydrahead.yaml.5 allocation.yaml.5 nodes.yaml.5; do
        printf ".TH A ${page##*.}"' "2026-01-02" "a" "b"\n.SH NAME\na \\- a page\n.SH KEYS\none_key, other_key\n' > "$tree/docs/man/$page"
    done
    for example in docs/hydra{clusterd,body,head}.example.yaml allocation.example.yaml tests/golden/nodes.yaml; do
        printf '# Text: of the file.\none_key: 1    # a word: on it\n#other_key: {one_key: a}\n' > "$tree/$example"
    done
}

# plant FILE TEXT: appends with printf's escapes.
plant() {
    planted=$1
    : >> "$tree/$1"
    from=$(($(wc -l < "$tree/$1") + 1))
    printf "$2" >> "$tree/$1"
}
in_function() { plant "$1" "void planted(char *a, char *b);\nvoid planted(char *a, char *b)\n{\n    $2\n}\n"; }

# expect CHECK FILE PATTERN: this check finds what was planted last, there and nowhere else; looked at by find_all.
expected=()
expect() {
    local to=999999 first=1
    if [ "$2" = "$planted" ]; then first=$from to=$(wc -l < "$tree/$2"); fi
    expected+=("$1" "$2" "$3" "$first" "$((to + 1))")
}

# Runs the check once over all that was planted since the last time; then the tree is clean again.
find_all() {
    local check file pattern first last passes=0
    "$here/${expected[0]}.sh" "$tree" > "$output" 2>&1 && passes=1
    set -- "${expected[@]}"
    while [ $# -gt 0 ]; do
        check=$1 file=$2 pattern=$3 first=$4 last=$5
        shift 5
        if [ $passes -eq 1 ]; then
            echo "scripts/$check.sh:1: passes in spite of: $file: $pattern"
            missed=$((missed + 1))
        elif ! awk -F: -v file="$file" -v first="$first" -v last="$last" -v pattern="$pattern" '
            $1 == file && $2 + 0 >= first && $2 + 0 <= last && substr($0, length($1 $2) + 3) ~ pattern { found = 1 }
            END { exit !found }' "$output"; then
            echo "scripts/$check.sh:1: does not find: $file:$first: $pattern; it says: $(head -c 300 "$output")"
            missed=$((missed + 1))
        fi
    done
    expected=()
    clean_tree
}
expect_alone() {
    expect "$@"
    find_all
}

clean_tree
for check in check-format check-style check-deps check-purity check-cppcheck check-man; do
    if ! "$here/$check.sh" "$tree" > "$output" 2>&1; then
        echo "scripts/$check.sh:1: finds something in a clean tree: $(head -c 300 "$output")"
        missed=$((missed + 1))
    fi
done

plant src/core/core.c 'int x; \n';             expect check-format src/core/core.c 'trailing blank'
plant src/core/core.c '\tint x;\n';            expect check-format src/core/core.c 'tab'
plant src/core/core.c 'int x;\r\n';            expect check-format src/core/core.c 'CR at'
plant src/core/core.c 'int x;';                expect check-format src/core/core.c 'no newline'
plant scripts/a.sh "# $(printf '%0150d' 0)\n"; expect check-format scripts/a.sh 'line of 152'
find_all

for word in strcpy strcat sprintf atoi strtok; do
    in_function src/http/a.c "(void)$word(a, b);"
    expect check-style src/http/a.c 'unbounded'
done
in_function src/http/a.c 'time(0);';                          expect check-style src/http/a.c 'clock'
in_function tests/integration/a.c 'clock_gettime(0, 0);';     expect check-style tests/integration/a.c 'clock'
in_function tests/unit/core/test_b.c 'usleep(1);';            expect check-style tests/unit/core/test_b.c 'sleeps'
in_function tests/sim/a.c 'nanosleep (0, 0);';                expect check-style tests/sim/a.c 'sleeps'
in_function src/http/a.c 'if (memcmp(a, secret, 32)) b = 0;'; expect check-style src/http/a.c 'variable time'
plant src/http/a.c '#define NDEBUG\n';                        expect check-style src/http/a.c 'NDEBUG'
in_function src/http/a.c "$(printf 'a++;\\n%.0s' {1..70})";   expect check-style src/http/a.c 'function of 7[0-9] lines'
plant src/http/a.c "$(printf '/* line */\\n%.0s' {1..601})";  expect check-style src/http/a.c 'more than 600'
plant src/http/a.c "/* $(printf '%0140d' 0) */\n";            expect check-style src/http/a.c 'line of 146'
plant src/http/a.c '/* TO''DO: all of it */\n';               expect check-style src/http/a.c 'unfinished'
plant src/http/a.c '/* a guess for ''now */\n';               expect check-style src/http/a.c 'unfinished'
plant src/http/a.c '/* see /wor''k/main */\n';                expect check-style src/http/a.c 'one machine'
for name in util helpers misc common json_util; do
    plant src/http/$name.c 'int x;\n'
    expect check-style src/http/$name.c 'named after'
done
find_all

plant src/base/a.c '#include "hydra/core/a.h"\n';             expect check-deps src/base/a.c 'base may not include hydra/core'
plant include/hydra/core/a.h '#include "hydra/os/a.h"\n';     expect check-deps include/hydra/core/a.h 'core may not include hydra/os'
plant src/core/core.c '#include "hydra/nowhere/a.h"\n';       expect check-deps src/core/core.c 'nowhere has no row'
mkdir "$tree/src/extra"; plant src/extra/a.c '#include <stdio.h>\n'; expect check-deps src/extra/a.c 'extra has no row'
plant src/core/core.c '#include <jansson.h>\n';               expect check-deps src/core/core.c 'core may not include <jansson'
plant src/http/a.c '#include <openssl/evp.h>\n';              expect check-deps src/http/a.c 'http may not include <openssl'
plant src/http/a.c '#include "own.h"\n';                      expect check-deps src/http/a.c 'no such header'
plant src/http/a.c '#include "../core/own.h"\n';              expect check-deps src/http/a.c 'own folder only'
plant include/hydra/core/a.h '#include "own.h"\n';            expect check-deps include/hydra/core/a.h 'public headers only'
plant src/core/core.c '#include <hydra/base/a.h>\n';          expect check-deps src/core/core.c 'in quotes'
plant tests/sim/sim.c '#include "hydra/os/a.h"\n';            expect check-deps tests/sim/sim.c 'base and core only'
plant tests/sim/sim.c '#include "support.h"\n';               expect check-deps tests/sim/sim.c 'no such header'
plant tests/sim/sim.c '#include <curl/curl.h>\n';             expect check-deps tests/sim/sim.c 'may not include <curl'
plant tests/unit/core/test_a.c '#include "hydra/os/a.h"\n';   expect check-deps tests/unit/core/test_a.c 'tests of core may not'
# Another layer's private header, by every way that leads to it.
for way in '"../../../src/os/own.h"' '"../../../src/core/../os/own.h"' '"hydra/core/../../../src/os/own.h"' '<../src/os/own.h>'; do
    plant src/os/own.h 'int os_own(void);\n'
    plant tests/unit/core/test_a.c "#include $way\n";        expect check-deps tests/unit/core/test_a.c 'own folder only'
done
plant tests/unit/core/test_a.c '#include "../../../src/core/core.c"\n'; expect check-deps tests/unit/core/test_a.c 'own folder only'
plant tests/integration/r0001_a.c '#include "../../src/core/own.h"\n';  expect check-deps tests/integration/r0001_a.c 'own folder only'
plant src/core/core.c '#define HEADER "own.h"\n#include HEADER\n';     expect check-deps src/core/core.c 'names its header'
find_all

plant src/core/b.c '#include <time.h>\nlong b(void) { return time(0); }\n'; expect_alone check-purity src/core/b.c 'needs time'
plant src/base/b.c '#include <stdlib.h>\nvoid b(void) { exit(1); }\n';      expect_alone check-purity src/base/b.c 'needs exit'
plant src/core/b.c 'int counter = 1;\n';                                    expect_alone check-purity src/core/b.c 'writable data counter'
plant src/core/b.c 'int b(void) { static int calls; return ++calls; }\n';   expect_alone check-purity src/core/b.c 'writable data calls'
plant src/base/b.c '_Thread_local int per_thread;\n';                    expect_alone check-purity src/base/b.c 'writable data per_thread'

in_function src/http/a.c 'int n[4]; n[4] = *a; b[0] = (char)n[4];'; expect_alone check-cppcheck src/http/a.c 'arrayIndexOutOfBounds'
in_function src/http/a.c 'int n; *a = (char)n; *b = *a;';           expect_alone check-cppcheck src/http/a.c 'uninitvar'

plant docs/man/a.1 '.SH\n';                                  expect check-man docs/man/a.1 'WARNING'
plant docs/man/a.1 '.NOSUCH macro\n';                        expect check-man docs/man/a.1 'unknown macro'
plant docs/hydraclusterd.example.yaml '#third_key: 2\n';     expect check-man docs/man/hydraclusterd.yaml.5 'third_key'
plant docs/hydrabody.example.yaml '  - {new_key: 2}\n';       expect check-man docs/man/hydrabody.yaml.5 'new_key of'
plant docs/hydrahead.example.yaml 'late: 2\n';               expect check-man docs/man/hydrahead.yaml.5 'late of'
plant allocation.example.yaml 'a: {one_key: b, new: 2}\n';   expect check-man docs/man/allocation.yaml.5 'new of'
plant tests/golden/nodes.yaml '  - key: 2\n';                expect check-man docs/man/nodes.yaml.5 'key key of'
find_all

[ "$missed" -eq 0 ]
