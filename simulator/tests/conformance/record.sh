#!/bin/sh
# Runs the conformance suite on this machine's GPU and writes what it computed to a recording:
#   simulator/tests/conformance/record.sh [FILE]          (default: h200.rec beside this script)
# Needs a GPU of compute capability 9.0 or newer, and what the tests need. Takes about a minute.
# Afterwards `ctest -R sim.conformance` compares clcsim with the new recording.
set -e
folder=$(cd "$(dirname "$0")" && pwd)
cd "$folder/../../.."
file=${1:-$folder/h200.rec}
cmake --preset course
cmake --build --preset course --target clcsim_conformance
build/simulator/tests/conformance/clcsim_conformance record "$file"
build/simulator/tests/conformance/clcsim_conformance check "$file"
