# Reads the READMEs as a newcomer does, in the order given:
#   awk -f reading.awk glossary.txt README.md 01_fixed_work/README.md ...
# A term of glossary.txt (each line: a regular expression of its forms) must stand in bold where it first
# occurs: there it is explained. And the minutes that a chapter states must be about what it takes: 200 words
# a minute, and a quarter of a minute for each line of code and each command; outputs are not counted. Ends
# with 1 otherwise.
BEGIN { kBold = "\001"; kPlain = "\002"; kEdge = "[^a-z0-9_-]" }
FILENAME != file {
  finish()
  file = FILENAME; ++files
  words = code = commands = fenced = hidden = 0; stated = ""
}
files == 1 { if ($0 !~ /^#/ && NF) forms[++terms] = $0; next }
/^```/ { language = fenced ? "" : substr($0, 4); fenced = !fenced; next }
/<!--/ { hidden = 1 }
hidden { if (/-->/) hidden = 0; next }
fenced && language == "text" { next }
fenced && language == "sh" { ++commands; next }
fenced { ++code; next }
{ words += NF }
match($0, /[*][*][0-9]+ minutes[*][*]/) { stated = substr($0, RSTART + 2) + 0 }
{
  line = tolower($0)
  gsub(/`[^`]*`/, " ", line)      # code
  gsub(/\]\([^)]*\)/, "]", line)  # where a link leads
  bold = 0
  while (sub(/[*][*]/, bold ? kPlain : kBold, line)) bold = !bold
  for (i = 1; i <= terms; ++i) {
    if (i in seen || !match(" " line " ", kEdge "(" forms[i] ")" kEdge)) continue
    seen[i] = 1
    before = substr(" " line " ", 1, RSTART)
    opened = gsub(kBold, "", before); closed = gsub(kPlain, "", before)
    if (opened > closed) continue
    print FILENAME ":" FNR ": '" forms[i] "' is used here first, but not explained in bold"
    failed = 1
  }
}
function finish(   minutes) {
  if (files < 2 || stated == "") return
  minutes = words / 200 + (code + commands) / 4
  printf "%s: %d words, %d lines of code, %d commands: %.0f minutes, stated %d\n", file, words, code, commands, minutes, stated
  if (stated < 0.8 * minutes || stated > 1.4 * minutes) {
    print file ": says " stated " minutes, which it isn't"
    failed = 1
  }
}
END {
  finish()
  for (i = 1; i <= terms; ++i)
    if (!(i in seen)) { print "'" forms[i] "' is never used"; failed = 1 }
  if (terms == 0 || files < 3) { print "nothing was read"; failed = 1 }
  exit failed
}
