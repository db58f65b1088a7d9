#!/bin/bash
# cppcheck over src/ and tests/support. Each finding is `file:line: what [id]`. Usage: check-cppcheck.sh [TREE]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"

SECONDS_MAX=480                             # it takes half a minute on an idle machine

dirs=(src)
[ -d tests/support ] && dirs+=(tests/support)
mkdir -p build/cppcheck                     # unchanged files are not analysed again

# Left out, each for a reason:
#   missingInclude*, unknownMacro  the headers of the system and of the libraries are not read
#   resourceLeak                   HC_CLEANUP closes what it reports; the attribute is unknown to cppcheck
#   ctuuninitvar                   reports output parameters that a function only writes
#   va_list_usedBeforeStarted      false after va_copy
if ! timeout "$SECONDS_MAX" cppcheck -j 2 --quiet --std=c11 --language=c --library=posix \
    --enable=warning,performance,portability --inline-suppr --error-exitcode=1 --max-configs=2 \
    --cppcheck-build-dir=build/cppcheck --template='{file}:{line}: {message} [{id}]' \
    -Iinclude -D_GNU_SOURCE -D__linux__ -DHYDRA_VERSION='"lint"' -DHASH_NONFATAL_OOM=1 \
    --suppress=missingInclude --suppress=missingIncludeSystem --suppress=unknownMacro \
    --suppress=resourceLeak --suppress=ctuuninitvar --suppress=va_list_usedBeforeStarted \
    "${dirs[@]}" 2>&1; then
    exit 1
fi
