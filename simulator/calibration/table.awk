# Compares clcsim's clock with a GPU: ratios between strategies, from two outputs of measure.sh.
#
#   awk -f table.awk h200.txt clcsim.txt      prints the table of simulator/README.md
#
# Ends with 1 where a ratio is off by more than 25 %.
function row(what, above, below,    real, model, off) {
  if (!((above, 1) in time) || !((below, 1) in time) || !((above, 2) in time) || !((below, 2) in time)) {
    print "table.awk: " above " or " below " was not measured" > "/dev/stderr"
    status = 1
    return
  }
  real = time[above, 1] / time[below, 1]
  model = time[above, 2] / time[below, 2]
  off = model / real - 1
  if (off > 0.25 || off < -0.25) status = 1
  printf "| %s | %.2f | %.2f | %+.0f %% |\n", what, real, model, 100 * off
}
function waits(what, name) {
  row(what ": fixed work / its whole time", "waited-fixed-" name, "whole-fixed-" name)
  row(what ": stride / fixed work", "waited-stride-" name, "waited-fixed-" name)
  row(what ": queue / fixed work", "waited-queue-" name, "waited-fixed-" name)
}
FNR == 1 { file++ }
!/^#/ && NF == 2 { time[$1, file] = $2 }
END {
  print "| ratio | H200 | clcsim h200 | off by |"
  print "|---|---|---|---|"
  row("prologue 16: stride / fixed work", "stride-16", "fixed-16")
  row("prologue 16: queue / fixed work", "queue-16", "fixed-16")
  row("prologue 2000: fixed work / stride", "fixed-2000", "stride-2000")
  row("prologue 2000: fixed work / queue", "fixed-2000", "queue-2000")
  row("fixed work: prologue 2000 / 16", "fixed-2000", "fixed-16")
  row("skew 50: stride / fixed work", "stride-skew-50", "fixed-skew-50")
  row("skew 50: queue / fixed work", "queue-skew-50", "fixed-skew-50")
  row("skew 200: stride / fixed work", "stride-skew-200", "fixed-skew-200")
  row("skew 200: queue / fixed work", "queue-skew-200", "fixed-skew-200")
  row("fixed work: skew 200 / 50", "fixed-skew-200", "fixed-skew-50")
  waits("wait, memory, tiles of 1024", "memory-1024")
  waits("wait, memory, tiles of 2048", "memory-2048")
  waits("wait, arithmetic", "arithmetic")
  row("one wave, arithmetic: an SM's oldest block ends / the last", "arithmetic-age-1", "arithmetic-sms-100")
  row("one wave, arithmetic: the fourth of eight ends / the last", "arithmetic-age-4", "arithmetic-sms-100")
  row("one wave, memory: the first SMs end / the last", "memory-sms-10", "memory-sms-100")
  exit status
}
