// What a player is made of. `data-part` names what the other modules fill.

const keys = [
  ['\u2192 \u2190', 'a step forward, a step back; after a click into the player Page Down and Page Up, too'],
  ['Shift and \u2192 \u2190', 'the next, the previous event: every instruction'],
  [
    '/', 'find words or numbers: Enter, Shift and Enter go to the next, the previous step that says them; Escape leaves'
  ],
  ['b, Shift and b', 'the next, the previous step of this block'], ['t, Shift and t', 'the next, the previous steal'],
  ['l, Shift and l', 'the next, the previous line of this block'], ['f, Shift and f', 'the next, the previous finding'],
  ['\u2193 \u2191', 'choose the next, the previous block'],
  ['Escape', 'let the chosen block go: the focus follows the events again'], ['Space', 'play, stop'],
  ['Home, End', 'first, last event'], ['w s, + -', 'zoom; with the pointer: Ctrl and wheel, or two fingers'],
  ['a d', 'pan; with the pointer: drag'], ['z', 'all of the time'], ['g', 'guess first; then 1 to 8 choose an answer']
];

function help(level) {
  const rows = keys.map(([key, what]) => `<tr><th scope="row">${key}</th><td>${what}</td></tr>`).join('\n');
  return `<dialog data-part="help" aria-label="How to read this page">
<div class="tools"><button type="button" data-part="help-close">Close</button></div>
<h${level + 1} class="part">How to read this page</h${level + 1}>
<p>It shows one run of a CUDA program on clcsim, a simulated GPU. Each row is a <b>slot</b>, a place for one block
on an SM. Time runs to the right, in <b>cycles</b> of a model's clock. A number names the tile: the block whose work
it is. A block's <b>prologue</b> is what it does before its first access to global memory. What the marks mean
stands below the buttons; a click on one leads to the next in the run. A click on a bar says what its block waits for
there. The chips above the rows are the queue: a full chip waits to start, an empty one has started, and one that is
struck out was stolen.</p>
<p>Unless you choose a block, block, source and warps are those of the sentence above the rows. What you choose
stays chosen until you let it go.</p>
<h${level + 2} class="sub">Keys</h${level + 2}>
<table class="keys"><tbody>
${rows}
</tbody></table>
<h${level + 2} class="sub">What the model leaves out</h${level + 2}>
<p>The clock is a teaching model: issue slots, memory bandwidth and latency, the latency of a request. It has no
caches and no bank conflicts, and it predicts no time of a Blackwell GPU; nobody has run this on
one. A request reaches the queue after half of its latency, and the response takes the other half. Its bytes land as
late as the rules allow: when somebody waits for them. Which block is next in the queue, and on which SM a block
starts, is the simulator's choice; programs may rely on no order. A warp runs up to 64 instructions before another
one of its scheduler, so times of different warps are exact to about that much.</p>
</dialog>`;
}

/// `level`: of its heading; those of its parts are one and two deeper.
export function markup(level) {
  return `<div class="head">
<h${level} class="title" data-part="title">A run</h${level}>
<p data-part="facts" class="note"></p>
</div>
<div class="main">
<section data-part="story" aria-label="Finding" hidden></section>
<div class="told"><p data-part="longest" aria-hidden="true"></p>
<p data-part="sentence" aria-live="polite" tabindex="-1"></p></div>
<div data-part="question" hidden></div>
<section data-part="queue-section" aria-label="Queue"
 title="A full chip waits to start. An empty one has started; one that is struck out was stolen.">
<canvas data-part="queue" role="img"></canvas>
</section>
<section data-part="runs" aria-label="Rows of the SMs"></section>
<div class="bar steps" role="toolbar" aria-label="Moment">
<label data-part="panel-label">Launch <select data-part="panel"></select></label>
<button type="button" data-part="first" title="To the first event (Home)" aria-label="first event">|&#x25C0;</button>
<button type="button" data-part="back" title="One step back (&#x2190;)" aria-label="Back">&#x25C0;<span> Back</span></button>
<button type="button" data-part="play" title="Play or stop (Space)">&#x25B6; Play</button>
<button type="button" data-part="forward" title="One step (&#x2192;)" aria-label="Step"><span>Step </span>&#x25B6;</button>
<button type="button" data-part="last" title="To the last event (End)" aria-label="last event">&#x25B6;|</button>
<label>by <select data-part="unit" title="What one step is">
<option value="story">what matters</option>
<option value="block">what matters to this block</option>
<option value="steal">steal</option>
<option value="line">line of this block</option>
<option value="finding">finding</option>
<option value="event">every instruction</option>
</select></label>
<label title="Hide what comes next until you have guessed it">
<input type="checkbox" data-part="guess"> guess first</label>
<span data-part="clock"></span>
<span class="aside"><button type="button" data-part="theme" title="Light or dark">Dark</button>
<button type="button" data-part="more">More</button>
<button type="button" data-part="help-button" title="Keys, and what the model leaves out (?)">Help</button></span>
</div>
<div class="bar" role="search">
<label class="find">Find
<input type="search" data-part="find" placeholder="block 17, :34, steals" title="Enter: the next step that says it (/)"
 autocomplete="off"></label>
</div>
<div class="bar under">
<div data-part="legend" role="group" aria-label="What the marks mean; each leads to the next one"></div>
<div class="zoom" role="toolbar" aria-label="Zoom">
<button type="button" data-part="zoom-in" title="Show less time (w or +)">Zoom in</button>
<button type="button" data-part="zoom-out" title="Show more time (s or -)">Zoom out</button>
<button type="button" data-part="zoom-all" title="Show all of it (z)">All</button>
</div>
</div>
<div class="more"><div class="columns">
<section aria-label="Block in focus">
<h${level + 1} class="part">Block <select data-part="block" aria-label="block in focus"></select>
<button type="button" data-part="let-go"
 title="The focus follows the events again (Escape)" hidden>chosen: let go</button></h${level + 1}>
<div data-part="focus"></div>
</section>
<section aria-label="Source">
<h${level + 1} class="part">Source</h${level + 1}>
<div data-part="source"></div>
</section>
</div></div>
<details data-part="table-section">
<summary>Steps as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Steps">
<table><thead><tr><th scope="col">event</th>
<th scope="col" title="Model cycles since the launch">cycle</th>
<th scope="col">block</th><th scope="col">what happens</th></tr></thead>
<tbody data-part="events"></tbody></table>
</div>
</details>
<details>
<summary>About this run</summary>
<p data-part="about"></p>
<p data-part="notes" class="note"></p>
</details>
</div>
${help(level)}`;
}
