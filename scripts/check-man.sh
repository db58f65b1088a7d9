#!/bin/bash
# The man pages: mandoc finds nothing to warn of, and a file's page names every key that its example has. Ends with `N passed, N failed`.
# Usage: scripts/check-man.sh [TREE]
set -uo pipefail
cd "${1:-$(dirname "$0")/..}" || exit 1
command -v mandoc > /dev/null || { echo "mandoc is not installed: scripts/install-deps check" >&2; exit 1; }

# A key is a word before a colon. What stands in an example under names of its own choice is none.
own_names='^(bxl1|rupelmonde|yet)$'
passed=0
failed=0

verdict() {
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

for page in docs/man/*.[1-8]; do
    output=$(mandoc -Tlint -Wwarning "$page" 2>&1)
    code=$?
    [ -z "$output" ] || sed -E 's/^mandoc: ([^:]+:[0-9]+):[0-9]+:/\1:/' <<< "$output"
    verdict $code
done

# The keys of an example, those too that are commented out there.
keys_of() {
    sed -E 's/^#( *[a-z_0-9]+:)/\1/; /^ *#/d; s/ #.*//' "$1" | grep -oE '(^|[ {])[a-z_][a-z_0-9]*:( |$)' | tr -d ' {:' | sort -u |
        grep -vE "$own_names"
}

# names_all EXAMPLE PAGE
names_all() {
    local key count=0 missing=0
    while read -r key; do
        count=$((count + 1))
        grep -qE "(^|[^a-z_])$key([^a-z_]|\$)" "$2" && continue
        echo "$2:1: the key $key of $1 is not named"
        missing=$((missing + 1))
    done < <(keys_of "$1")
    [ $count -gt 0 ] || echo "$1:1: no key was found"
    [ $count -gt 0 ] && [ $missing -eq 0 ]
    verdict $?
}

names_all docs/hydraclusterd.example.yaml docs/man/hydraclusterd.yaml.5
names_all docs/hydrabody.example.yaml docs/man/hydrabody.yaml.5
names_all docs/hydrahead.example.yaml docs/man/hydrahead.yaml.5
names_all allocation.example.yaml docs/man/allocation.yaml.5
names_all tests/golden/nodes.yaml docs/man/nodes.yaml.5

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
