#!/bin/bash
# Who includes whom, against the table in scripts/layers.mk. Each finding is `file:line: what`. Usage: check-deps.sh [TREE]
#
# - src/L and include/hydra/L: "hydra/X/..." only for X = L or X in ALLOW_L; third-party headers only as HEADERS_L says;
# - any other "..." is a private header and lies in the same folder; unit tests of L may reach into src/L as "../../../src/L/NAME.h" and
#   into no other layer's folder, whatever way the path takes; fuzz targets may reach into any as "../../src/L/NAME.h",
#   and into the fixtures of its tests as "../unit/L/NAME.h";
# - tests/unit/L: L and all that it may include, however far down; tests/sim: base and core; other tests: every layer;
# - tests may also include what lies in tests/support, tests/sim may not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"

findings=$(mktemp)
includes=$(mktemp)
trap 'rm -f "$findings" "$includes"' EXIT

# file TAB line TAB what stands in the include, with its quotes or angles
tops=()
for top in src include tests; do [ -d "$top" ] && tops+=("$top"); done
find "${tops[@]}" -type f \( -name '*.c' -o -name '*.h' \) | LC_ALL=C sort | LC_ALL=C xargs awk -v keep=strings -f "$here/code-only.awk" |
    awk -F '\t' 'match($3, /^[ \t]*#[ \t]*include[ \t]*/) {
        path = substr($3, RLENGTH + 1); sub(/[ \t]+$/, "", path); print $1 "\t" $2 "\t" path }' > "$includes"

# Headers of packages that no layer has in its row, and those of the test framework.
other_packages="gnutls/ gcrypt.h qrencode.h cmocka.h event2/ zlib.h sqlite3.h glib.h"

awk -v other="$other_packages" '
    function closure_of(layer, parts, count, i) {       # marks in `reach` what the layer may include, however far down
        if (layer in reach) return
        reach[layer] = 1
        count = split(allow[layer], parts, " ")
        for (i = 1; i <= count; i++) closure_of(parts[i])
    }
    function has_word(list, word) { return index(" " list " ", " " word " ") > 0 }
    function fits(list, header, parts, count, i) {      # is the header one of the list, whose entries may be folders
        count = split(list, parts, " ")
        for (i = 1; i <= count; i++)
            if (parts[i] == header || (parts[i] ~ /\/$/ && index(header, parts[i]) == 1)) return 1
        return 0
    }
    function say(what) { print file ":" line ": " what }
    function exists(path, text, got) { got = (getline text < path) >= 0; close(path); return got }

    FILENAME == ARGV[1] {
        if ($1 ~ /^ALLOW_/)   { name = substr($1, 7); sub(/^[^=]*=[ \t]*/, ""); allow[name] = $0 }
        if ($1 ~ /^HEADERS_/) { name = substr($1, 9); sub(/^[^=]*=[ \t]*/, ""); headers[name] = $0; packages = packages " " $0 }
        next
    }
    {
        split($0, column, "\t")
        file = column[1]; line = column[2]; path = column[3]
        inner = substr(path, 2, length(path) - 2)
        folder = file; sub(/\/[^\/]*$/, "", folder)
        split(file, part, "/")

        layer = ""; where = part[1]                     # where: src, include, tests
        if (where == "src") layer = part[2]
        if (where == "include") layer = part[3]
        if (where == "tests" && part[2] == "unit") layer = part[3]
        if (layer != "" && !(layer in allow)) { say("layer " layer " has no row in scripts/layers.mk"); next }

        reaches = ""                                    # the layer whose private header a test may name by its path
        if (where == "tests" && part[2] == "unit" && inner ~ /^\.\.\/\.\.\/\.\.\/src\/[a-z]+\/[a-z0-9_]+\.h$/) {
            split(inner, step, "/"); if (step[5] == layer) reaches = layer
        }
        if (where == "tests" && part[2] == "fuzz" && inner ~ /^\.\.\/\.\.\/src\/[a-z]+\/[a-z0-9_]+\.h$/) {
            split(inner, step, "/"); reaches = step[4]
        }
        if (where == "tests" && part[2] == "fuzz" && inner ~ /^\.\.\/unit\/[a-z]+\/[a-z0-9_]+\.h$/) reaches = "unit"
        from_root = inner; sub(/^(\.\.\/)+/, reaches == "unit" ? "tests/" : "", from_root)

        if (path !~ /^["<]/) say("an include names its header: " path)
        else if (reaches != "" && path ~ /^"/) { if (!exists(from_root)) say("no such header: " inner) }
        else if (inner ~ /(^|\/)\.\.(\/|$)/) say("a private header is included from its own folder only: " inner)
        else if (inner ~ /^hydra\//) {
            if (path !~ /^"/) { say("our own headers stand in quotes: " path); next }
            split(inner, step, "/")
            target = step[2]
            if (!(target in allow)) { say("layer " target " has no row in scripts/layers.mk"); next }
            if (where == "tests" && part[2] == "sim") {
                if (target != "base" && target != "core") say("tests/sim includes base and core only, not " inner)
            } else if (where == "tests" && layer != "") {
                for (key in reach) delete reach[key]
                closure_of(layer)
                if (!(target in reach)) say("tests of " layer " may not include " inner)
            } else if (layer != "" && target != layer && !has_word(allow[layer], target)) {
                say(layer " may not include " inner)
            }
        } else if (path ~ /^"/) {
            in_support = where == "tests" && part[2] != "sim" && exists("tests/support/" inner)
            if (inner ~ /\//) say("a private header is included from its own folder only: " inner)
            else if (where == "include") say("a public header includes public headers only: " inner)
            else if (!exists(folder "/" inner) && !in_support) say("no such header in this folder: " inner)
        } else if (where != "tests") {
            if (fits(packages " " other, inner) && !fits(headers[layer], inner)) say(layer " may not include <" inner ">")
        } else if (part[2] == "sim" && fits(packages, inner)) {
            say("tests/sim may not include <" inner ">")
        }
    }
' scripts/layers.mk "$includes" > "$findings"

cat "$findings"
[ ! -s "$findings" ]
