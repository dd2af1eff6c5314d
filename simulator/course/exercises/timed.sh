#!/usr/bin/env bash
# Runs a compiler, and leaves the milliseconds that it took for the check to tell:
#   timed.sh FILE COMPILER ARGUMENTS...
file=$1
shift
began=${EPOCHREALTIME/[.,]/}
"$@"
status=$?
echo $(((${EPOCHREALTIME/[.,]/} - began) / 1000)) >"$file"
exit $status
