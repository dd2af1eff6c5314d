// The loop of a kernel and its run, linked both ways. The source numbers the steps of the loop ("// 3. Request, ..."),
// the page names the numbers in its sections ("3: request") and in its code, and shows the PTX, of which the build
// knows the lines that it was compiled from. A step leads to its lines, its PTX and its events, and each of these to
// the step.
import {element} from '../../../clcsim/player/page/element.js';

import {recordOf, reserve, sorry, whenNear} from './load.js';
import {Steps} from './walk.js';
import {watch} from './watch.js';

// What the steps are for.
const kNotes = {
  declare:
      'The response buffer and the mbarrier are in shared memory from the block\u2019s start: no instruction runs.',
  initialise: 'One thread tells the mbarrier how many arrivals each phase needs.',
  request: 'One thread requests a waiting block, and arms the mbarrier for the 16 bytes of the response.',
  wait: 'All threads wait until the phase is over: then the response is there.',
  query: 'All threads read whether the request succeeded, and which block was cancelled.',
  'give back': 'All threads have read the response, so the next response may overwrite its buffer.'
};

const headingOf = (section) => section.querySelector(':scope > :is(h2, h3, h4)');

/// The numbers of the steps that a section is about.
function numbersOf(section) {
  const [, ...numbers] = /^(\d+)(?: and (\d+))?: /.exec(headingOf(section)?.textContent ?? '') ?? [];
  return numbers.filter(Boolean);
}

class Loop {
  /// places: [[file, line], ...] of the lines of `ptx`, a block of the page. sections: of the page, one for each step.
  constructor(run, places, ptx, sections) {
    Object.assign(this, {run, places, buttons: [], rows: [], hovered: 0, chosen: 0});
    this.lines = [...ptx.querySelectorAll('.line')];
    this.texts = this.lines.map((line) => line.textContent.replace(/^\d+ /, '').trim());
    this.bar = element(
        'div', '', {class: 'live-bar', role: 'group', 'aria-label': 'Steps of the loop'},
        element('strong', 'The loop in a run'));
    this.note = element('p', '', {class: 'live-note'});
    this.place = element('div', '', {class: 'live'});
    reserve(this.place, run);
    this.box = element(
        'div', '', {class: 'live-loop', role: 'region', 'aria-label': 'The loop in a run'}, this.bar, this.note,
        this.place);
    sections[0].before(this.box);
    this.offer(sections, ptx);
    whenNear(this.box, () => this.open().catch((error) => this.place.replaceChildren(sorry(error))));
  }

  // Where the page has the number of a step, a button brings loop and run beside it.
  offer(sections, ptx) {
    for (const section of sections) {
      const bar = element('div', '', {class: 'live-bar'});
      for (const number of numbersOf(section)) bar.append(this.button(number, `\u25B6 Step ${number} in a run`, bar));
      (section.querySelector(':scope > .ptx') ?? headingOf(section)).after(bar);
    }
    for (const comment of sections[0].parentElement.querySelectorAll('[class*="highlight-"] .c1')) {
      const [all, number, name] = /(\d+)\. ([a-z ]+)(?=:|$)/.exec(comment.textContent) ?? [];
      if (!all) continue;
      const [before, after] = comment.textContent.split(all), code = comment.closest('[class*="highlight-"]');
      const button = this.button(number, '', code);
      button.append(...comment.querySelectorAll('.step, .said'), name);
      comment.replaceChildren(before, button, after);
    }
    for (const number of ptx.querySelectorAll('.gs')) {
      const button = this.button(number.textContent, '', ptx);
      button.setAttribute('aria-label', `step ${number.textContent} in a run`);
      number.replaceWith(button);
      button.append(number);
    }
  }

  button(number, text, anchor) {
    const button = element('button', text, {type: 'button', 'data-step': number, title: 'Show this step in a run'});
    button.addEventListener('click', async () => {
      const {top} = button.getBoundingClientRect();
      if (anchor.nextSibling !== this.box) anchor.after(this.box);
      await this.open();
      this.player.source.shown = null;  // a list that was moved has lost its place
      this.go(Number(number));
      // What the reader looks at stays where it is.
      scrollBy({top: button.getBoundingClientRect().top - top, behavior: 'instant'});
      this.box.scrollIntoView({block: 'nearest'});
    });
    this.listen(button);
    this.buttons.push(button);
    return button;
  }

  /// Once, whoever asks.
  open() {
    this.opened ??= this.make();
    return this.opened;
  }

  async make() {
    const record = await recordOf(this.run);
    const wanted = (player, i) => this.walk(player)?.all.includes(i);
    const player = await watch(this.place, record, {
      ...this.run,
      steps: {name: 'step of the loop', wanted: (each, i) => this.player && wanted(each, i)},
      shown: () => {
        this.chosen = 0;
        if (this.player) this.show();
      }
    });
    this.steps = new Steps(player.run, this.places);
    this.player = player;
    for (const {number, name} of this.steps.all) {
      const onclick = () => this.go(number);
      const button = element('button', `${number} ${name}`, {type: 'button', 'data-step': number, onclick});
      this.buttons.push(button);
      this.bar.append(button);
    }
    this.placeSource();
    for (const each of [this.bar, player.find('source')]) this.listen(each);
    this.go(3, -1);
  }

  // The player's source stands open, and stays the loop's file; below a line its PTX.
  placeSource() {
    const {player, steps} = this, {source} = player;
    player.find('runs').after(player.find('source').closest('section'));
    source.kept = steps.file;
    source.show(steps.file);
    const {first} = player.run.files[steps.file];
    for (const {number, lines} of steps.all)
      for (const line of lines) this.link(source.rows[line - first], number);
    const below = new Map();  // the last row of a line
    this.places.forEach(([, line], i) => {
      const number = source.numberOf.get(`${steps.file}:${line}`), row = below.get(line) ?? source.rows[line - first];
      const step = steps.all.find(({lines}) => lines.has(line))?.number;
      const onclick = () => number ? player.goToNext(number) : this.go(step);
      const title = 'Go to where this instruction runs next';
      const button = element('button', this.texts[i], {type: 'button', title, onclick});
      const added = element(
          'li', '', {class: 'ptx', 'data-line': line}, element('span', '', {class: 'number'}),
          element('span', 'PTX', {class: 'who'}), button);
      row.after(added);
      below.set(line, added);
      this.link(added, step);
      this.link(this.lines[i], step);
    });
  }

  link(row, step) {
    if (!step) return;
    row.dataset.of = step;
    this.rows.push(row);
  }

  // What the pointer or the focus is on shows its step.
  listen(box) {
    const over = ({target}) => {
      const {step, of} = target.closest('[data-step], [data-of]')?.dataset ?? {};
      this.hover(Number(step ?? of ?? 0));
    };
    const out = () => this.hover(0);
    for (const [event, act] of [['pointerover', over], ['pointerleave', out], ['focusin', over], ['focusout', out]])
      box.addEventListener(event, act);
  }

  hover(step) {
    if (step === this.hovered || !this.player) return;
    this.hovered = step;
    this.show();
  }

  walk({panel, moment}) {
    const block = clcPlayer.workerOf(panel, moment.launch, moment.block);
    return block < 0 ? null : this.steps.walk(panel, moment.launch, block);
  }

  /// To where the block in focus comes to a step next, or the first time again.
  go(number, from = this.player.moment.event) {
    const {player, steps} = this, walk = this.walk(player);
    const arrivals = walk ? steps.arrivals(player.panel, walk, number) : [];
    const next = arrivals.find((i) => i > from) ?? arrivals[0] ?? this.steps.begin(player.panel, walk);
    player.stop();
    if (next !== undefined) player.goTo(next);
    this.chosen = number;
    this.show();
  }

  // The step of the moment: of its event, or of where the requesting warp is.
  step() {
    const {player, steps} = this, {panel, moment} = player, {events} = panel, line = player.lineOfEvent();
    if (line) return steps.ofLine(line);
    const i = moment.event, walk = this.walk(player);
    if (!walk) return undefined;
    if (events.time[i] === moment.time && walk.all.includes(i)) return steps.ofEvent(panel, i);
    const known = clcPlayer.blockOf(panel, moment.launch, clcPlayer.workerOf(panel, moment.launch, moment.block));
    const at =
        clcPlayer.warpsOf(known, panel.launches[moment.launch], moment.time).find(({warp}) => warp === walk.warp - 1);
    return at?.state === 'exits' ? undefined : steps.ofLine(at?.line);
  }

  show() {
    const {player} = this, {panel} = player, step = this.hovered || this.chosen || this.step(), lit = [];
    for (const button of this.buttons) button.ariaCurrent = Number(button.dataset.step) === step ? 'step' : null;
    this.note.textContent = kNotes[this.steps.all.find(({number}) => number === step)?.name] ?? '';
    for (const row of this.rows) row.classList.toggle('lit', Number(row.dataset.of) === step);
    const [, line] = player.run.lines[player.lineOfEvent() - 1] ?? [];
    for (const row of this.rows)
      if (row.dataset.line) row.classList.toggle('event', Number(row.dataset.line) === line);
    for (let i = 0; step && i < panel.events.length; i++)
      if (this.steps.ofEvent(panel, i) === step) lit.push(i);
    player.light(lit);
    const isHere = this.steps.ofLine(player.lineOfEvent()) === step;
    const row =
        isHere ? player.source.rowOf(player.lineOfEvent()) : this.rows.find((each) => each.dataset.of === String(step));
    if (row && !player.source.list.matches(':hover')) player.source.scrollTo(row);
  }
}

/// loops: for the command of a picture, the places that the page's PTX was compiled from.
export function linkLoops(loops, runs) {
  const ptx = document.querySelector('[class^="highlight-ptx"]');
  const sections = [...document.querySelectorAll('section')].filter((section) => numbersOf(section).length > 0);
  if (!ptx || sections.length === 0) return;
  for (const {dataset: {command}} of document.querySelectorAll('figure.run[data-command]'))
    if (loops[command]) return new Loop(runs[command], loops[command], ptx, sections);
}
