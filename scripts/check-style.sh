#!/bin/bash
# House rules of the sources that a compiler does not know. Each finding is `file:line: what`. Usage: check-style.sh [TREE]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"

FILE_LINES_MAX=600
FUNCTION_LINES_MAX=70
LINE_CHARS_MAX=140

findings=$(mktemp)
trap 'rm -f "$findings"' EXIT

tops=()
for top in src include tests scripts; do [ -d "$top" ] && tops+=("$top"); done
mapfile -t c_files < <(find "${tops[@]}" -type f \( -name '*.c' -o -name '*.h' \) | LC_ALL=C sort)
mapfile -t all_files < <(find "${tops[@]}" -type f ! -path '*/corpus/*' | LC_ALL=C sort)
if [ ${#c_files[@]} -eq 0 ]; then
    echo "src:1: no C files here"
    exit 1
fi

LC_ALL=C awk -f "$here/code-only.awk" "${c_files[@]}" |
    LC_ALL=C awk -v function_max="$FUNCTION_LINES_MAX" -f "$here/style-code.awk" >> "$findings"

# Lengths count characters: bytes that continue a UTF-8 character are left out.
LC_ALL=C awk -v max="$LINE_CHARS_MAX" 'length($0) > max {
    line = $0
    gsub(/[\200-\277]/, "", line)
    if (length(line) > max) print FILENAME ":" FNR ": line of " length(line) " characters (at most " max ")"
}' "${c_files[@]}" >> "$findings"

# Files of people's making; data, golden files and embedded pages are as long as they are.
mapfile -t measured < <(printf '%s\n' "${all_files[@]}" | grep -E '\.[ch]$|^scripts/')
awk -v max="$FILE_LINES_MAX" 'FNR == max + 1 { print FILENAME ":" FNR ": file of more than " max " lines" }' "${measured[@]}" >> "$findings"

# The whole of a file's name is what it is about; these words are about nothing.
printf '%s\n' "${all_files[@]}" | { grep -E '(^|[-_/])(utils?|helpers?|misc|common)([-_.][^/]*)?$' || true; } |
    sed 's|$|:1: a file is named after the one thing in it|' >> "$findings"

text=("${all_files[@]}")
for extra in Makefile README.md docs; do [ -e "$extra" ] && text+=("$extra"); done

# grep_text WHAT GREP-ARGUMENTS...: one finding for each line.
grep_text() {
    local what=$1
    shift
    { LC_ALL=C grep -rnIH "$@" || true; } | sed -E "s|^([^:]+:[0-9]+):.*|\1: $what|" >> "$findings"
}
# The patterns are written so that this script does not find itself.
grep_text 'a word for unfinished work' -E '(^|[^A-Za-z])(TO''DO|FIX''ME|XX''X)([^A-Za-z]|$)' "${text[@]}"
grep_text 'a word for unfinished work' -iE 'place''holder|(^|[^a-z])for ''now([^a-z]|$)' "${c_files[@]}"
grep_text 'a path of one machine' -E '(^|[^A-Za-z0-9_.])/(wor''k/|tmp/b-)' "${text[@]}"

LC_ALL=C sort -t: -k1,1 -k2,2n "$findings"
[ ! -s "$findings" ]
