#!/usr/bin/env bash
# Makes one HTML file of slides.md with Python: no network, no other file needed, printable with the notes.
#   bash common/teaching/slides.sh [--installed] [OUTPUT.html]        default: build/slides.html
# --installed: with the commands and files of a course in /opt/clc (common/SETUP.md, "One installation for many").
# A slide begins with "# "; "Note:" begins what the speaker says; ![words](picture.svg) is put into the file.
# Keys: arrows, space, page up and down, home and end, or a click (on the left third: back). s opens a window for the
# speaker: notes, next slide, minutes; n shows the notes below the slide; f fills the screen; p prints (each slide a page,
# its notes below). It stays light where the system is dark, since the notes speak of black and dark pieces.
set -euo pipefail
as_installed=()
if [ "${1:-}" = --installed ]; then
  shift
  as_installed=(-e 's#cmake --build build --target exercise_\([0-9]*\)_#clc-exercise \1.#' -e 's#build/bin/clcsim build/bin/#clcsim /opt/clc/bin/#'
    -e 's#\([0-9]*_\)[a-z_]*/exercises/\([0-9a-z_]*\)/task\.cu#\1\2.cu#')
fi
cd "$(dirname "$0")"
out=${1:-../../build/slides.html}
case $out in /*) ;; *) [ $# = 0 ] || out=$OLDPWD/$out ;; esac

{
  cat <<'END'
<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Cluster Launch Control</title><style>
:root{color-scheme:light}
body{margin:0;font:min(2.5vw,4.3vh)/1.35 sans-serif;color:#222;background:#fff;counter-reset:slide}
section{display:none;height:100vh;padding:4vh 4vw 5vh;box-sizing:border-box;counter-increment:slide}
section.now{display:flex;flex-direction:column}
h1{font-size:1.5em;line-height:1.2;margin:0 0 .5em;color:#275d00}ul{margin:0;padding-left:1.2em}li{margin:0 0 .5em}
section>div{flex:1;min-height:0}section>div:has(img){display:flex;flex-direction:column;gap:1vh}
img{flex:1;min-height:0;width:100%;object-fit:contain;object-position:left top}div:has(img)>ul li{margin:0 0 .2em}
section>div:not(:has(img)){display:flex;flex-direction:column;justify-content:space-evenly}section>div:not(:has(img,pre)){font-size:1.25em}
code,pre{background:#f1f3f4;font-size:.8em}pre{padding:.6em;line-height:1.4;margin:0 0 .8em}
aside{display:none;background:#fff8dc;padding:.1em 1em;font-size:.7em}.notes aside{display:block}
footer{position:fixed;right:1em;bottom:.3em;font-size:.5em;opacity:.7}
@page{size:A4 landscape;margin:12mm}
@media print{body{font-size:19px}section,section.now{display:block;break-after:page;height:auto;padding:0}
section:last-of-type{break-after:auto}section>div:has(img){display:block}img{height:auto;max-height:100mm}
aside{display:block;font-size:.8em}footer{display:none}h1::after{content:" (" counter(slide) ")";font-size:.5em;opacity:.7}}
</style><body>
END
  sed -e "" "${as_installed[@]}" slides.md | python3 /dev/fd/3 3<<'END'
import base64, html, re, sys

def text(words):
    words = re.sub("`([^`]*)`", r"<code>\1</code>", html.escape(words, quote=False))
    return re.sub(r"\*\*([^*]*)\*\*", r"<b>\1</b>", words)

def picture(words, path):  # becomes part of the file, without caption, legend and empty axis
    svg = open(path).read()
    rows = re.search('<view id="rows" viewBox="([^"]*)"', svg)[1]
    svg = re.sub('viewBox="[^"]*" width="[^"]*" height="[^"]*"', f'viewBox="{rows}"', svg, count=1)
    return f'<img alt="{words}" src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}">'

def part(lines, between):  # of a slide; what stands between its paragraphs
    kind = None
    for line in lines.splitlines():
        is_list = line.startswith("- ") or (kind == "ul" and line != "" and line[0] not in "`!")
        if kind == "ul" and not is_list:
            print("</ul>")
            kind = None
        if line.startswith("```"):
            print("</pre>" if kind == "pre" else "<pre>")
            kind = None if kind == "pre" else "pre"
        elif kind == "pre":
            print(html.escape(line, quote=False))
        elif line.startswith("!["):
            print(picture(*re.match(r"!\[(.*)\]\((.*)\)", line).groups()))
        elif line.startswith("- "):
            print(("" if kind else "<ul>\n") + "<li>" + text(line[2:]))
            kind = "ul"
        else:
            print(text(line) if line else between)
    if kind == "ul":
        print("</ul>")

for slide in re.split("^# ", sys.stdin.read(), flags=re.M)[1:]:
    title, words = slide.split("\n", 1)
    words, _, note = words.partition("\nNote:")
    print(f"<section><h1>{text(title)}</h1><div>")
    part(words.strip(), "")
    print("</div><aside><p>")
    part(note.strip(), "<p>")
    print("</aside></section>")
END
  cat <<'END'
<footer></footer><script>
const all = [...document.querySelectorAll("section")], root = document.documentElement, begun = Date.now();
let at = 0, speaker = null;
const part = (slide, tag) => slide?.querySelector(tag)?.innerHTML ?? "";
function notes() {
  if (!speaker || speaker.closed) return;
  speaker.document.body.innerHTML = `<p>${Math.floor((Date.now() - begun) / 60000)} minutes, slide ${at + 1} of ${all.length}
    <h1>${part(all[at], "h1")}</h1>${part(all[at], "aside")}<hr><p>Next: ${part(all[at + 1], "h1") || "the end"}`;
}
function go(to) {
  at = Math.min(all.length - 1, Math.max(0, to || 0));
  all.forEach((slide, i) => slide.classList.toggle("now", i == at));
  history.replaceState(null, "", "#" + (at + 1));
  document.querySelector("footer").textContent = `${at + 1} / ${all.length}`;
  notes();
}
const steps = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -all.length, End: all.length};
const does = {
  n: () => document.body.classList.toggle("notes"), p: () => print(),
  f: () => document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen(),
  s: () => {
    speaker = open("", "speaker", "width=700,height=600");
    if (!speaker) return;
    speaker.document.title = "Notes";
    speaker.document.body.style = "font: 20px/1.5 sans-serif; margin: 1.5em";
    speaker.onkeydown = key;
    notes();
  },
};
function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in steps) go(at + steps[event.key]);
  else if (event.key in does) does[event.key]();
  else return;
  event.preventDefault();
}
addEventListener("keydown", key);
addEventListener("hashchange", () => go(location.hash.slice(1) - 1));
addEventListener("click", (event) => { if (!String(getSelection())) go(at + (event.clientX < innerWidth / 3 ? -1 : 1)); });
setInterval(notes, 10000);
go(location.hash.slice(1) - 1);
</script></html>
END
} >"$out"
echo "$out: $(grep -c '^<section>' "$out") slides"
