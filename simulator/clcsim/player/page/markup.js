// What a player is made of. `data-part` names what the other modules fill.

/// `level`: of its heading; those of its parts are one and two deeper. `compact`: not all is open at first.
export function markup(level, compact) {
  const [fold, folded] = compact ?
      ['<details data-part="more"><summary>The queue, the block in focus and the source</summary>', '</details>'] :
      ['', ''];
  return `<div class="head">
<div class="tools">
<button type="button" data-part="theme" title="Light or dark">Dark</button>
<button type="button" data-part="help-button" title="Keys, what the marks mean, and what the model leaves out (?)">Help</button>
</div>
<h${level} class="title" data-part="title">A run</h${level}>
<p data-part="about"${compact ? ' hidden' : ''}></p>
<p data-part="facts" class="note"></p>
<p data-part="notes" class="note"></p>
</div>
<div class="main">
<div class="bar" role="toolbar" aria-label="Moment">
<label data-part="panel-label">Launch <select data-part="panel"></select></label>
<button type="button" data-part="first" title="To the first event (Home)" aria-label="first event">|&#x25C0;</button>
<button type="button" data-part="back" title="One step back (&#x2190; or Page Up)">&#x25C0; Back</button>
<button type="button" data-part="play" title="Play or stop (Space)">&#x25B6; Play</button>
<button type="button" data-part="forward" title="One step (&#x2192; or Page Down)">Step &#x25B6;</button>
<button type="button" data-part="last" title="To the last event (End)" aria-label="last event">&#x25B6;|</button>
<label>by <select data-part="unit" title="What one step is">
<option value="event">event</option>
<option value="block">event of this block</option>
<option value="line">line of this block</option>
<option value="steal">steal</option>
<option value="finding">finding</option>
</select></label>
<label>speed <select data-part="speed"><option value="0.4">slow</option><option value="1" selected>normal</option><option value="4">fast</option><option value="20">very fast</option></select></label>
<label title="Hide what comes next until you have guessed it"><input type="checkbox" data-part="guess"> guess first</label>
<button type="button" data-part="link" title="Copy a line with a link to this moment (c)">Copy link</button>
<span data-part="clock"></span>
</div>
<p data-part="sentence" aria-live="polite" tabindex="-1"></p>
<div data-part="question" hidden></div>
<section data-part="runs" aria-label="Lanes"></section>
<div class="bar" role="toolbar" aria-label="Zoom">
<button type="button" data-part="zoom-in" title="Show less time (w or +)">Zoom in</button>
<button type="button" data-part="zoom-out" title="Show more time (s or -)">Zoom out</button>
<button type="button" data-part="zoom-all" title="Show all of it (0)">All</button>
<button type="button" data-part="pan-left" title="Earlier (a)" aria-label="earlier">&#x2039;</button>
<button type="button" data-part="pan-right" title="Later (d)" aria-label="later">&#x203A;</button>
<span data-part="hint" aria-live="off"></span>
</div>
${fold}<section data-part="queue-section" aria-label="Queue">
<h${level + 1} class="part">The queue: <span data-part="queue-words"></span></h${level + 1}>
<canvas data-part="queue" role="img"></canvas>
<p class="note">A filled square waits to start; a triangle has started; a cross was stolen. The latest has a thick mark.</p>
</section>
<div class="columns">
<section aria-label="Block in focus">
<h${level + 1} class="part">Block <select data-part="block" aria-label="block in focus"></select></h${level + 1}>
<div data-part="focus"></div>
</section>
<section aria-label="Source">
<h${level + 1} class="part">Source</h${level + 1}>
<div data-part="source"></div>
</section>
</div>${folded}
<section data-part="findings-section" hidden>
<h${level + 1} class="part">Findings</h${level + 1}>
<ul data-part="findings"></ul>
</section>
<section data-part="compare-section" hidden>
<h${level + 1} class="part">Two runs, on one clock</h${level + 1}>
<table><thead><tr><th scope="col"></th><th scope="col">this run</th><th scope="col">the other</th></tr></thead><tbody data-part="comparison"></tbody></table>
<p data-part="difference"></p>
</section>
<details data-part="table-section">
<summary>Events as a table</summary>
<form data-part="search"><label>Find in the sentences <input data-part="words" type="search"></label> <button type="submit">Next</button> <span data-part="found"></span></form>
<div class="scroll" tabindex="0" role="region" aria-label="Events">
<table><thead><tr><th scope="col">event</th><th scope="col" title="Model cycles since the launch">cycle</th><th scope="col">block</th><th scope="col">what</th><th scope="col">in words</th></tr></thead><tbody data-part="events"></tbody></table>
</div>
</details>
</div>
<dialog data-part="help" aria-label="How to read this page">
<h${level + 1} class="part">How to read this page</h${level + 1}>
<p>It shows one run of a CUDA program on clcsim, a simulated GPU. Each row is a <b>slot</b>, a place for one block on an SM. Time runs to the right, in <b>cycles</b> of a model's clock.</p>
<ul class="legend">
<li><i class="swatch own"></i> a block's own tile; colours tell neighbouring blocks apart, and the number says whose work it is</li>
<li><i class="swatch stolen"></i> hatched: work that was stolen, in the thief's colour</li>
<li><i class="swatch prologue"></i> dark: the block's prologue, what it does before its first tile</li>
<li><i class="swatch urgent"></i> a kernel of higher priority; the dashed line is its launch</li>
<li><i class="swatch focus"></i> thick border: the block in focus</li>
<li><b>&#x2022;&#x2014;&#x203A;</b> a request, from its issue to its answer; then, dashed, to the tile that it brought</li>
<li><b class="bad">&#x00D7;</b> an answer that says no; with a ring: although blocks waited</li>
<li><b class="bad">&#x25BC;!</b> a finding, at its time and in its block</li>
</ul>
<h${level + 2} class="sub">Keys</h${level + 2}>
<table class="keys"><tbody>
<tr><th scope="row">&#x2192; &#x2190;, Page Down, Page Up</th><td>a step forward, a step back</td></tr>
<tr><th scope="row">Shift and &#x2192; &#x2190;</th><td>the next, the last event of the block in focus</td></tr>
<tr><th scope="row">t, Shift and t</th><td>the next, the last steal</td></tr>
<tr><th scope="row">l, Shift and l</th><td>the next, the last line of the block in focus</td></tr>
<tr><th scope="row">f</th><td>the next finding</td></tr>
<tr><th scope="row">&#x2193; &#x2191;</th><td>the next, the last block</td></tr>
<tr><th scope="row">b</th><td>the block of this event</td></tr>
<tr><th scope="row">Space</th><td>play, stop</td></tr>
<tr><th scope="row">Home, End</th><td>first, last event</td></tr>
<tr><th scope="row">w s, + -</th><td>zoom; with the pointer: Ctrl and wheel, or two fingers</td></tr>
<tr><th scope="row">a d</th><td>pan; with the pointer: drag</td></tr>
<tr><th scope="row">0</th><td>all of the time</td></tr>
<tr><th scope="row">g</th><td>guess first</td></tr>
<tr><th scope="row">1 to 4</th><td>choose an answer</td></tr>
<tr><th scope="row">/</th><td>search in the events</td></tr>
<tr><th scope="row">c</th><td>copy a link to this moment</td></tr>
</tbody></table>
<h${level + 2} class="sub">What the model leaves out</h${level + 2}>
<p>The clock is a teaching model: issue slots, memory bandwidth and latency, the latency of a request. It has no caches, no bank conflicts and no tensor cores, and it predicts no time of a Blackwell GPU; nobody has run this on one. A request reaches the queue after half of its latency, and the answer takes the other half. Its bytes land as late as the rules allow: when somebody waits for them. Which block is next in the queue, and on which SM a block starts, is the simulator's choice; programs may rely on no order. A warp runs up to 64 instructions before another one of its scheduler, so times of different warps are exact to about that much.</p>
<button type="button" data-part="help-close">Close</button>
</dialog>`;
}
