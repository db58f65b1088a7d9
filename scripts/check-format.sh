#!/bin/bash
# Blanks and line ends of every text file: no trailing blanks, no tabs but in make files, no CR, a newline at the end; scripts no wider than
# the sources. Each finding is `file:line: what`. Usage: check-format.sh [TREE]
#
# clang-format is no authority here: its output for tables of designated rows is worse than what people write.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"

LINE_CHARS_MAX=140
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT

# Golden files and fuzz corpora are inputs, not text of ours.
mapfile -t text < <(find . \( -path ./build -o -path ./.git -o -path '*/corpus' -o -path ./tests/golden \) -prune \
    -o -type f -size +0 -print0 |
    LC_ALL=C xargs -0 grep -lI '' | sed 's|^\./||' | LC_ALL=C sort)

LC_ALL=C awk -v max="$LINE_CHARS_MAX" '
    function say(what) { print FILENAME ":" FNR ": " what }
    FNR == 1 {
        base = FILENAME; sub(/.*\//, "", base)
        tabs_fine = base ~ /^(Makefile|rules|.*\.mk)$/ || FILENAME ~ /^\.gitmodules$/
        # Markdown has tables and make files have rules as wide as they must be; C sources are measured by check-style.sh.
        width_matters = FILENAME ~ /^scripts\// || base ~ /\.sh$/
        data = base ~ /\.(svg|pem|jsonl?|map|mutation)$/
    }
    data { next }
    /\r$/ { say("CR at the end of the line"); sub(/\r$/, "") }
    /[ \t]$/ { say("trailing blank") }
    /\t/ && !tabs_fine { say("tab") }
    width_matters && length($0) > max {
        line = $0; gsub(/[\200-\277]/, "", line)
        if (length(line) > max) say("line of " length(line) " characters (at most " max ")")
    }
' "${text[@]}" > "$findings"

# The last byte of each file, one a line, in the order of the list.
tail -q -c 1 "${text[@]}" | od -An -v -t x1 -w1 | paste -d ' ' - <(printf '%s\n' "${text[@]}") |
    awk '$1 != "0a" { file = $0; sub(/^ *[0-9a-f]+ /, "", file); print file }' |
    while IFS= read -r file; do echo "$file:$(($(wc -l < "$file") + 1)): no newline at the end"; done >> "$findings"

LC_ALL=C sort -t: -k1,1 -k2,2n "$findings"
[ ! -s "$findings" ]
