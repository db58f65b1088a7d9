#!/bin/bash
# The core is pure: src/core and src/base are compiled, joined by `ld -r`, and what is left undefined must stand in core-symbols.allow;
# their objects hold no writable data but what stands there. Each finding is `file:line: what`. Usage: check-purity.sh [TREE]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"
allow=$here/core-symbols.allow

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Plain gcc and no fortification: the symbols are the ones that the sources name. -fno-pie keeps constant tables in .rodata.
# A few files at a time; each object gets the name of its source: src.core.lease.o.
compile() {
    local folder object
    folder=$(mktemp -d -p "$out")
    (cd "$folder" && gcc -std=c17 -O0 -fno-pie -fno-stack-protector -D_GNU_SOURCE -D_FORTIFY_SOURCE=0 -DHYDRA_VERSION='"lint"' \
        -I"$tree/include" -c "${@/#/$tree/}")
    for object in "$folder"/*.o; do mv "$object" "$out/src.$(basename "$(dirname "$1")").${object##*/}"; done
}
export -f compile
tree=$PWD
export out tree
for layer in core base; do find "src/$layer" -name '*.c' 2> /dev/null | LC_ALL=C sort > "$out/sources.$layer"; done
[ -s "$out/sources.core" ] || [ -s "$out/sources.base" ] || { echo "src/core:1: nothing to check"; exit 1; }
for layer in core base; do xargs -r -P 2 -n 16 bash -c 'compile "$@"' compile < "$out/sources.$layer"; done
ld -r -o "$out/joined" "$out"/src.*.o

# The source of an object, and the first line in it that names a symbol.
place_of() {
    local file line
    file=$(basename "$1" .o)
    file=${file//.//}.c
    line=$(grep -nw -m 1 -- "$2" "$file" | cut -d: -f1 || true)
    echo "$file:${line:-1}"
}

status=0
nm -A -u "$out"/src.*.o | sed -E 's/^([^:]+):[^A-Za-z]*U +/\1 /' > "$out/wanted"
while read -r symbol; do
    while read -r object; do
        echo "$(place_of "$object" "$symbol"): needs $symbol, which the pure part must not have"
    done < <(awk -v symbol="$symbol" '$2 == symbol { print $1 }' "$out/wanted")
    status=1
done < <(nm -u "$out/joined" |
    awk 'FNR == NR { if ($1 == "undefined") fine[$2]; next } !($2 in fine) { print $2 }' "$allow" - | LC_ALL=C sort -u)

# Writable: .data, .bss, thread-local and common symbols. A function's own static is named like `next.0`.
while read -r object symbol; do
    plain=${symbol%.[0-9]*}
    place=$(place_of "$object" "$plain")
    file=${place%%:*}
    if [[ $file == src/base/* ]] && grep -qx "writable $(basename "$file" .c).o $plain" "$allow"; then continue; fi
    echo "$place: writable data $plain"
    status=1
done < <(nm -A "$out"/src.*.o | awk '$(NF - 1) ~ /^[dDbBC]$/ { object = $1; sub(/:.*/, "", object); print object, $NF }')

# What has no symbol of its own still shows in the sections.
while read -r object section size; do
    echo "$(place_of "$object" '.'): section $section of $size bytes is writable"
    status=1
done < <(size -A "$out"/src.core.*.o 2> /dev/null | awk '
    / :$/ { object = $1 }
    $1 ~ /^\.(data|bss|tdata|tbss)(\.|$)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 { print object, $1, $2 }')
exit $status
