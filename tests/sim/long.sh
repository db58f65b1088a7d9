#!/bin/bash
# Random fleets on every core for a time, from a seed of their own each. Usage: long.sh SIM SECONDS
set -euo pipefail
sim=$1 seconds=$2 hours_least=${3:-0}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cores=$(nproc)
pids=()
for ((i = 0; i < cores; i++)); do
    "$sim" --seconds "$seconds" --seed $((i * 10000000 + 1)) > "$out/$i" 2>&1 &
    pids+=($!)
done
passed=0 failed=0
for ((i = 0; i < cores; i++)); do
    if wait "${pids[$i]}"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    cat "$out/$i"
done
hours=$(cat "$out"/* | sed -n 's/^sim: \([0-9]*\) fleet-hours in.*/\1/p' | awk '{ sum += $1 } END { print sum + 0 }')
echo "sim-long: $hours fleet-hours in $seconds s"
if [ "$hours" -lt "$hours_least" ]; then
    echo "sim-long: at least $hours_least are wanted"
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
