#!/usr/bin/env bash
# Checks and times Craton on this machine: bash run.sh [STEP...]; without names all but the extra ones.
# Logs go to $OUT, or to logs/ beside this script; a table at the end says how each step went.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
exec </dev/null
if [ -e bin.tar.gz ]; then tar -xzf bin.tar.gz && rm bin.tar.gz; fi
wanted=" $* "
logs=${OUT:-$PWD/logs}
mkdir -p "$logs"
table=""
failed=0

# step NAME SECONDS COMMAND...: runs a command, for so long at most; the next one comes whatever happens.
step() {
    if [ "$wanted" = "  " ] || [[ $wanted == *" $1 "* ]]; then attempt "$@"; fi
}

# extra NAME SECONDS COMMAND...: the same, only when it is named.
extra() {
    if [[ $wanted == *" $1 "* ]]; then attempt "$@"; fi
}

attempt() {
    local name=$1 limit=$2 start=$SECONDS result=ok code=0
    shift 2
    echo "=== $name"
    timeout --kill-after=5 "$limit" "$@" 2>&1 | tee "$logs/$name.log" || code=$?
    case $code in
        0) ;;
        124 | 137) result="more than $limit s" failed=1 ;;
        *) result="FAILED ($code)" failed=1 ;;
    esac
    table+=$(printf '%-20s %-18s %6d s' "$name" "$result" $((SECONDS - start)))$'\n'
}

# Tests that run on an emulated device elsewhere run on the GPU here.
export CRATON_TEST_GPU=cuda

# Correctness first, then speed; all together under ten minutes.
step machine 20 nvidia-smi
step test-device 60 bin/test-device gpu::
step test-fault 60 bin/test-device gpu_fault::
step test-sem 120 bin/test-sem gpu::
step test-parts 120 bin/test-sem parts::
step test-fd 120 bin/test-fd gpu::
step test-fd-parts 120 bin/test-fd parts::
step test-tiles 60 bin/test-fd acoustic_tiles::
step test-gradients 60 bin/test-fd gradients_gpu::
step test-gravity 60 bin/test-gravity gpu::
step test-craton 120 bin/test-craton pipeline
step example 60 bin/craton run --overwrite --set "output.directory='results/full_space'" examples/full_space/full_space.toml
step validate 120 bin/xtask validate --tier a --device cuda full-space
step bench-gpu 180 bin/bench-gpu
step bench-fd 240 bin/bench-fd
step bench-acoustic 120 bin/bench-acoustic ways
step bench-gravity 120 bin/bench-gravity
step paper-gravity 90 env CRATON_MAPS="$logs" bin/bench-gravity paper

extra bench-step 180 bin/bench-step
extra bench-gradients 560 bin/bench-acoustic gradient
extra assembly 120 bin/bench-assembly
extra scaling 560 bin/bench-scaling
extra fd-scaling 560 bin/bench-fd-scaling
extra validate-a 560 bin/xtask validate --tier a --device cuda
extra memcheck-device 280 compute-sanitizer --tool memcheck --error-exitcode 1 bin/test-device gpu::
extra memcheck-sem 280 compute-sanitizer --tool memcheck --error-exitcode 1 bin/test-sem gpu::
extra memcheck-fd 280 compute-sanitizer --tool memcheck --error-exitcode 1 bin/test-fd gpu::
extra memcheck-gradients 280 compute-sanitizer --tool memcheck --error-exitcode 1 bin/test-fd gradients_gpu::
extra memcheck-gravity 280 compute-sanitizer --tool memcheck --error-exitcode 1 bin/test-gravity gpu::
extra racecheck-device 280 compute-sanitizer --tool racecheck --error-exitcode 1 bin/test-device gpu::
extra racecheck-sem 280 compute-sanitizer --tool racecheck --error-exitcode 1 bin/test-sem gpu::

printf '\n%s' "$table"
exit $failed
