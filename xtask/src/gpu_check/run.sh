#!/usr/bin/env bash
# Checks and times Craton on this machine: bash run.sh [STEP...], all steps unless some are named.
# Logs go to $OUT, or to logs/ beside this script; a table at the end says how each step went.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
exec </dev/null
wanted=" $* "
logs=${OUT:-$PWD/logs}
mkdir -p "$logs"
table=""
failed=0

# step NAME SECONDS COMMAND...: runs a command, for so long at most; the next one comes whatever happens.
step() {
    local name=$1 limit=$2 start=$SECONDS result=ok code=0
    shift 2
    if [ "$wanted" != "  " ] && [[ $wanted != *" $name "* ]]; then return; fi
    echo "=== $name"
    timeout --kill-after=5 "$limit" "$@" 2>&1 | tee "$logs/$name.log" || code=$?
    case $code in
        0) ;;
        124 | 137) result="more than $limit s" failed=1 ;;
        *) result="FAILED ($code)" failed=1 ;;
    esac
    table+=$(printf '%-20s %-18s %6d s' "$name" "$result" $((SECONDS - start)))$'\n'
}

# Correctness first, then speed.
step machine 20 nvidia-smi
step example 60 bin/craton run --overwrite --set "output.directory='results/full_space'" examples/full_space/full_space.toml
step validate-a 400 bin/xtask validate --tier a
step bench-step 120 bin/step

printf '\n%s' "$table"
exit $failed
