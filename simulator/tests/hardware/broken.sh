#!/usr/bin/env bash
# broken.sh HARDWARE BUILD OUT: a probe that fails and one that never ends, among others that do.
set -uo pipefail
hardware=$1 build=$2 out=$3/broken
rm -rf "$out"
mkdir -p "$out/build/bin"
for program in hardware_clc_probes hardware_report clc_measure; do ln -s "$build/bin/$program" "$out/build/bin/$program"; done
# clcsim runs ELF files only: so the launcher of the report is replaced, not the program.
cat >"$out/build/bin/clcsim" <<END
#!/usr/bin/env bash
case "\$*" in
  *" memory") echo "memory.latency cycles 1"; echo "the memory is broken" >&2; exit 3 ;;
  *" start") sleep 100 ;;
esac
exec "$build/bin/clcsim" "\$@"
END
chmod +x "$out/build/bin/clcsim"
cp "$build/bin/hardware_probes" "$out/build/bin/hardware_probes"
wanted='^(device|start|memory|clusters|response)$'
report() { CLC_PROBE_SECONDS=6 bash "$hardware/report.sh" --gpu mini --build "$out/build" --out "$out/results" --safe --only "$wanted"; }

log=$(report)
status=$?
echo "$log"
[ $status != 0 ] || { echo "it ended with 0 though two probes failed"; exit 1; }
page=$out/results/report.md
for expected in '\*\*failed\*\* memory: exit status 3; the memory is broken' '\*\*failed\*\* start: still ran after 6 s' \
  '| largest | blocks |' '| of-success |'; do
  grep -q "$expected" "$page" || { echo "the report does not say: $expected"; exit 1; }
done
grep -q '^memory.latency' "$out/results/observed" && { echo "half of a probe's results were taken"; exit 1; }
again=$(sed -i 's/sleep 100/:/' "$out/build/bin/clcsim"; report)
echo "$again"
grep -q '^clusters *was run before' <<<"$again" && grep -q '^start *[0-9]* s' <<<"$again" || { echo "it was not continued"; exit 1; }
python=$(command -v python3) || exit 0
"$python" -m json.tool "$out/results/report.json" >/dev/null
