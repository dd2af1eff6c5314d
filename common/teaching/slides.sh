#!/usr/bin/env bash
# Makes one HTML file of slides.md: no network, no other file needed, printable with the notes.
#   bash common/teaching/slides.sh [OUTPUT.html]        default: build/slides.html
# A slide begins with "# "; "Note:" begins what the speaker says; ![words](picture.svg) is put into the file.
# Keys: arrows, space, page up and down, or a click (on the left third: back); n shows the notes; p prints (each slide a
# page, its notes below).
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-../../build/slides.html}
case $out in /*) ;; *) [ $# = 0 ] || out=$OLDPWD/$out ;; esac

{
  cat <<'END'
<!doctype html><html lang="en"><meta charset="utf-8"><title>Cluster Launch Control</title><style>
body{margin:0;font:min(2.6vw,4.4vh)/1.4 sans-serif;color:#222;counter-reset:slide}
section{display:none;min-height:100vh;padding:4vh 5vw;box-sizing:border-box;counter-increment:slide}section.now{display:block}
h1{font-size:1.5em;line-height:1.2;margin:0 0 .7em;color:#275d00}li{margin:.4em 0}code,pre{background:#f3f3f3;font-size:.8em}
pre{padding:.7em;line-height:1.5;overflow:auto}img{display:block;width:100%;max-height:60vh;object-fit:contain;object-position:left}ul~img{max-height:46vh}
aside{display:none;background:#fff8dc;padding:.2em 1em;font-size:.7em}.notes aside{display:block}
footer{position:fixed;right:1em;bottom:.3em;font-size:.5em;color:#888}
@page{size:A4 landscape;margin:12mm}
@media print{body{font-size:17px}section{display:block;page-break-after:always;min-height:0;padding:0}
section:last-of-type{page-break-after:auto}img{max-height:105mm}aside{display:block}footer{display:none}
h1::after{content:" (" counter(slide) ")";font-size:.5em;color:#888}}
</style><body>
END
  while IFS= read -r line; do  # pictures become part of the file
    if [[ $line =~ ^!\[(.*)\]\((.*\.svg)\)$ ]]; then
      printf '<img alt="%s" src="data:image/svg+xml;base64,%s">\n' "${BASH_REMATCH[1]}" "$(base64 -w0 "${BASH_REMATCH[2]}")"
    else
      printf '%s\n' "$line"
    fi
  done <slides.md | awk '
    function text(s) {
      gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s)
      while (match(s, /`[^`]*`/)) s = substr(s, 1, RSTART - 1) "<code>" substr(s, RSTART + 1, RLENGTH - 2) "</code>" substr(s, RSTART + RLENGTH)
      while (match(s, /\*\*[^*]*\*\*/)) s = substr(s, 1, RSTART - 1) "<b>" substr(s, RSTART + 2, RLENGTH - 4) "</b>" substr(s, RSTART + RLENGTH)
      return s
    }
    function end_of(what) { if (list) { print "</ul>"; list = 0 } if (note && what == "slide") { print "</aside>"; note = 0 } }
    /^```/ { end_of(""); print code ? "</pre>" : "<pre>"; code = !code; next }
    code { s = $0; gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); print s; next }
    /^<img/ { end_of(""); print; next }
    /^# / { end_of("slide"); if (open) print "</section>"; open = 1; print "<section><h1>" text(substr($0, 3)) "</h1>"; next }
    !open { next }
    /^Note:/ { end_of(""); note = 1; print "<aside><p>" text(substr($0, 6)); next }
    /^- / { if (!list) print "<ul>"; list = 1; print "<li>" text(substr($0, 3)); next }
    /^$/ { end_of(""); print "<p>"; next }
    { print text($0) }
    END { end_of("slide"); print "</section>" }'
  cat <<'END'
<footer></footer><script>
const all=[...document.querySelectorAll("section")];let at=Math.max(0,(parseInt(location.hash.slice(1))||1)-1);
function go(to){at=Math.min(all.length-1,Math.max(0,to));all.forEach((s,i)=>s.classList.toggle("now",i==at));
 location.hash=at+1;document.querySelector("footer").textContent=`${at+1} / ${all.length}`}
addEventListener("keydown",e=>{const k=e.key;if(["ArrowRight","PageDown"," "].includes(k))go(at+1);
 else if(["ArrowLeft","PageUp"].includes(k))go(at-1);else if(k=="n")document.body.classList.toggle("notes");
 else if(k=="p")print();else return;e.preventDefault()});
addEventListener("hashchange",()=>go((parseInt(location.hash.slice(1))||1)-1));
addEventListener("click",e=>go(e.clientX<innerWidth/3?at-1:at+1));go(at)</script></html>
END
} >"$out"
echo "$out: $(grep -c '^<section>' "$out") slides"
