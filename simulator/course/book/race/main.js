// The race on the book's first page: ways to share out the same tiles, on one clock; two of them first, and no urgent
// kernel until the reader launches it. The first runs were recorded when the book was made (clcBook.race); those after
// a change of the reader's are the engine's.
import {coloursOf, element} from '../../../clcsim/player/page/element.js';
import {copy} from '../live/copy.js';
import {load, sorry} from '../live/load.js';
import {onTheme, theme} from '../live/theme.js';

import {answerOf, captionOf, firstsOf, Numbers, sentenceOf} from './numbers.js';
import {Steal} from './steal.js';
import {grouped, kFirst, strategies} from './strategies.mjs';
import {Track} from './track.js';

const kSeconds = 18;       // a race lasts so long
const kQuery = 200;        // cycles of the host between two queries (common/program.cpp, --after)
const kLongestFrame = 50;  // milliseconds of a step of time: who looks away doesn't miss what happens
const kFaster = 3.5;       // so much faster goes the rest, when only the last one runs
const kSlow = 1;           // second that each first takes, and so much slower it is told:
const kSlower = 0.08;
const kFlight = 0.25;              // seconds: a number's way into its slot; the first ones begin before the start
const kStep = 1000, kRest = 1.02;  // cycles: the axis ends at a round one after the last was done
const kLook = 1000;                // milliseconds that the first picture stands still
const small = matchMedia('(max-width: 700px)');  // as in race.css
const still = matchMedia('(prefers-reduced-motion: reduce)');

function slider(name, title, most, step, ends) {
  const field = element('input', '', {type: 'range', name, min: 0, max: most, step});
  return {
    field,
    label: element(
        'label', '', {class: 'race-slider'}, element('span', title), element('small', ends[0], {'aria-hidden': 'true'}),
        field, element('small', ends[1], {'aria-hidden': 'true'}))
  };
}

const kMarks = [
  ['setup', 'prologue: a block\u2019s setup'], ['work', 'tile'], ['stolen', 'stolen tile'], ['urgent', 'urgent kernel'],
  ['cross', 'request fails: the block ends after its tile'], ['waits', 'block waits for a response'],
  ['future', 'still to come']
];

const kColours = ['page', 'text', 'soft', 'rule', 'idle', 'future', 'setup', 'tile', 'stolen', 'ink', 'urgent'];

const withFirsts = (laps) => laps.map((lap, i) => ({...lap, firsts: firstsOf(strategies[i].name, lap)}));

class Race {
  /// soonest: when the urgent kernel of each run comes that the host launches at once.
  constructor(root, {six, laps, soonest, playable}) {
    this.laps = withFirsts(laps);
    this.first = soonest;
    this.soonest = Math.max(...soonest);
    this.now = {...kFirst, at: 0};  // 0: no urgent kernel
    this.ran = {...this.now};       // what the runs that stand there are of
    this.shown = strategies.flatMap(({added}, i) => added ? [] : [i]);
    this.time = still.matches ? this.cycles : -this.flight;
    this.build(root, six, playable);
    this.show(this.shown);
    const linked = this.take(location.hash);
    new ResizeObserver(() => this.layOut()).observe(this.tracks);
    onTheme(() => this.layOut());
    document.fonts.ready.then(() => this.layOut());
    if (!linked && !still.matches) this.playWhenSeen();
  }

  build(root, six, playable) {
    const button = (name, text, action) =>
        element('button', text, {type: 'button', class: `race-${name}`, onclick: action});
    const div = (name, ...children) => element('div', '', {class: `race-${name}`}, ...children);
    this.figures = strategies.map(({title, says, waits}) => {
      const canvas = element('canvas', '', {role: 'img', tabindex: 0}),
            count = element('span', '', {class: 'race-count'});
      const [, short, more] = /([^:]*)(.*)/.exec(says);
      const box = element(
          'figure', '', {class: 'race-track'},
          element(
              'figcaption', '', {}, element('b', title), ' ', element('span', short, {}, element('span', more)), count),
          canvas);
      return {box, canvas, title, track: new Track(canvas, count, ...waits)};
    });
    this.figures.forEach(({canvas, track}, i) => {
      canvas.addEventListener(
          'pointerdown', ({offsetX, offsetY}) => this.pick(i, track.hit(this.laps[i], offsetX, offsetY, this.time)));
      canvas.addEventListener('keydown', (event) => this.step(event, i));
    });
    this.tracks = div('tracks', ...this.figures.map(({box}) => box));
    this.adders = strategies.flatMap(({title, added}, i) => {
      const toggle = () =>
          this.show(this.shown.includes(i) ? this.shown.filter((each) => each !== i) : [...this.shown, i]);
      return added ? [{i, field: button('add', `+ ${title}`, toggle)}] : [];
    });
    this.player = button('play', '', () => this.goes ? this.goTo() : this.play());
    this.clock = element(
        'input', '', {type: 'range', class: 'race-clock', min: 0, step: 100, 'aria-label': 'moment of the race'});
    this.clock.addEventListener('input', () => this.goTo(Number(this.clock.value)));
    this.linker = button('link', 'Copy link', () => this.copy());
    this.linker.title = 'A link to this race at this moment';
    this.cycle = element('span', '', {class: 'race-cycle', 'aria-hidden': 'true'});
    this.urgent = button('urgent', '', () => this.launch());
    this.earlier = button('earlier', 'launch it earlier', () => this.launch(this.soonest));
    this.sliders = [
      slider('setup', 'Cost of a prologue', 2000, 50, ['free', 'high']),
      slider('uneven', 'Uneven tiles', 160, 5, ['alike', 'very'])
    ];
    for (const {field} of this.sliders) field.addEventListener('input', () => this.change());
    const hands = element(
        'details', '', {class: 'race-hands'}, element('summary', 'Change the tiles, or add two more strategies'),
        div('sliders', ...this.sliders.map(({label}) => label), ...this.adders.map(({field}) => field), this.linker));
    const legend = element(
        'p', '', {class: 'race-legend'},
        element('span', 'A row is a slot of a simulated GPU, a place for a block; a number is a tile of the work.'),
        ...kMarks.map(
            ([name, text]) => element('span', '', {}, element('i', '', {class: `race-mark ${name}`}), ` ${text}`)));
    [this.pale, this.future] = [...legend.children].slice(-2);
    this.numbers = new Numbers();
    this.trouble = element('div');
    const again = playable ? ', and a slider or the button runs them again in your browser' : '';
    const made = element(
        'details', '', {class: 'race-made'}, element('summary', 'How this was made'),
        element(
            'p',
            `The programs of chapters 01 to 03 ran on clcsim, the simulated GPU, when this page was made${
                again}. Its cycles don\u2019t predict times on Blackwell.`));
    this.sentence = element('p', '', {class: 'race-sentence', role: 'status'});
    const start = root.parentElement.querySelector('.start') ?? '';
    const controls = div('controls', this.player, this.urgent, this.clock, this.cycle);
    const bar = div('bar', controls, this.sentence);
    this.box =
        div('live', new Steal(six).box, this.tracks, bar, legend, start, hands, this.numbers.table, this.trouble, made);
    if (!playable) [this.urgent, ...this.sliders.map(({label}) => label)].forEach((each) => each.remove());
    root.append(this.box);
    root.classList.add('alive');
    for (const name of playable ? ['pointerenter', 'focusin'] : [])
      this.box.addEventListener(name, () => this.engine().catch(() => {}), {once: true});
    addEventListener('hashchange', () => this.take(location.hash));
  }

  /// The strategies of these indices race.
  show(shown) {
    this.shown = [...shown].sort();
    this.figures.forEach(({box}, i) => box.hidden = !shown.includes(i));
    this.tracks.classList.toggle('many', shown.length > 2);
    for (const {i, field} of this.adders) field.setAttribute('aria-pressed', shown.includes(i));
    this.layOut();
  }

  get over() { return this.time >= this.cycles; }
  get end() { return Math.max(...this.racing.map(({end, urgent}) => Math.max(end, urgent?.to ?? 0))); }
  get racing() { return this.shown.map((i) => this.laps[i]); }
  get cycles() { return Math.ceil(this.end * kRest / kStep) * kStep; }
  get flight() { return this.cycles * kFlight / kSeconds; }
  get goes() { return this.playing || this.pending?.plays; }

  // ---- what it looks like ----

  layOut() {
    const {width} = this.figures[this.shown[0]].box.getBoundingClientRect();
    const last = this.shown.at(-1), above = this.shown.length > 2 && !small.matches ? this.shown.at(-2) : last;
    this.box.classList.toggle('dark', theme() === 'dark');
    const {cycles, flight} = this, {fontFamily: font} = getComputedStyle(this.box), compact = small.matches;
    this.figures.forEach(({box, track}, i) => {
      track.colours = coloursOf(box, kColours);
      track.layOut({width, compact, axis: i === last || i === above, cycles, flight, font});
    });
    this.clock.max = this.cycles;
    this.pale.hidden = this.laps.every(({waits}) => waits.length === 0);
    for (const {field} of this.sliders) field.value = this.now[field.name];
    this.draw();
  }

  draw() {
    const {laps, time, pending} = this, comes = this.touched && !this.goes && !pending && !this.over;
    this.future.style.visibility = comes ? '' : 'hidden';
    this.figures.forEach(({canvas, track, title}, i) => {
      if (!this.shown.includes(i)) return;
      const {end, starts, urgent} = laps[i], place = 1 + this.racing.filter((lap) => lap.end < end).length;
      const shown = pending ? {urgent: pending, end: Infinity} : {place};
      track.draw({...laps[i], ...shown}, time, !still.matches, comes, this.picked?.i === i ? this.picked.bar : null);
      if (this.playing) return;
      const waits = urgent ? `; the urgent kernel waits ${urgent.from - urgent.at} cycles` : '';
      canvas.setAttribute(
          'aria-label',
          `${title}: ${starts.length} blocks started, done after ${end} cycles${
              waits}. Arrow keys go from bar to bar.`);
    });
    this.numbers.show(laps, time, this.shown, pending !== undefined);
    this.clock.value = Math.max(0, time);
    this.clock.setAttribute('aria-valuetext', this.cycle.textContent = `cycle ${grouped(Math.max(0, time))}`);
    const name = this.goes ? 'Pause' : this.over ? 'Replay' : 'Play';
    if (this.player.textContent !== name) this.player.textContent = this.player.dataset.is = name;
    const urgent = this.now.at && this.over && !pending ? 'Launch again' : 'Launch urgent kernel';
    if (this.urgent.textContent !== urgent) this.urgent.textContent = urgent;
    const {picked, shown} = this;
    this.say(
        picked      ? {text: answerOf(strategies[picked.i].name, strategies[picked.i].waits[0], picked.bar, time)} :
            pending ? {text: `Urgent kernel launched at cycle ${grouped(pending.at)}: running \u2026`} :
            time >= this.end? sentenceOf(laps, shown, this.now.at > this.soonest) :
                      captionOf(laps, shown, time, this.pressed));
  }

  say({verdict = '', text, late}) {
    if (this.said === verdict + text) return;
    this.said = verdict + text;
    this.sentence.replaceChildren(
        ...verdict ? [element('strong', verdict), ' '] : [], text, ...late ? [this.earlier, '.'] : []);
  }

  // ---- time ----

  playWhenSeen() {
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({isIntersecting}) => isIntersecting)) return;
      seen.disconnect();
      setTimeout(() => this.touched || this.play(), kLook);
    }, {
      threshold: 0.7,
      rootMargin: `0px 0px -${small.matches ? '104px' : '40%'}`
    });  // above the bar; not beside the steal
    seen.observe(this.tracks);
  }

  play() {
    this.touched = true;
    if (this.playing) return;
    if (this.over) this.time = -this.flight;
    this.playing = true;
    this.picked = null;
    let before = performance.now();
    const step = (now) => {
      if (!this.playing) return;
      const each = this.cycles / (1000 * kSeconds), spent = Math.min(kLongestFrame, Math.max(0, now - before));
      const isFirst = ({time}) => this.time >= time && this.time - time < 1000 * kSlow * kSlower * each;
      const speed = this.racing.some(({firsts}) => firsts.some(isFirst)) ? kSlower :
          this.racing.filter(({end}) => end > this.time).length < 2      ? kFaster :
                                                                           1;
      const to = this.time + spent * speed * each;  // no first is leapt over
      const next = this.racing.flatMap(({firsts}) => firsts).find(({time}) => this.time < time && time < to);
      this.time = next ? next.time : to;
      before = now;
      if (this.over)
        this.goTo(this.cycles);
      else {
        this.draw();
        requestAnimationFrame(step);
      }
    };
    requestAnimationFrame(step);
    this.draw();
  }

  // To a moment, and no further.
  goTo(time = this.time) {
    this.touched = true;
    this.playing = false;
    this.picked = null;
    if (this.pending) this.pending.plays = false;
    this.time = Math.min(time, this.cycles);
    this.draw();
  }

  // ---- the reader's hands ----

  change() {
    for (const {field} of this.sliders) this.now[field.name] = Number(field.value);
    this.rerun();
  }

  /// At this moment, in all; when all are done, and it was launched before or nothing moves, where it can come first.
  launch(time = this.time) {
    const from = time < this.end ? time : this.soonest;
    this.now.at = Math.max(Math.round(from), this.soonest);
    this.pressed = from < this.soonest ? from : undefined;
    this.urgent.focus({preventScroll: true});  // the sentence's button goes
    this.goTo(from);
    this.tracks.scrollIntoView({block: 'nearest'});
    const pending = this.pending = {at: this.now.at, from: Infinity, to: Infinity, lane: 0, plays: !still.matches};
    this.draw();
    this.rerun(() => {
      if (still.matches) this.goTo(this.cycles);
      if (pending.plays) this.play();
    });
  }

  /// What a bar or a chip of a track is.
  pick(i, bar) {
    if (!bar) return;
    this.goTo();
    this.picked = {i, bar};
    this.draw();
  }

  // From bar to bar, and to what waits behind the last.
  step(event, i) {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by) return;
    event.preventDefault();
    const all = [...this.laps[i].bars].sort((a, b) => a.from - b.from || a.lane - b.lane);
    const at = this.picked?.i === i ? all.indexOf(this.picked.bar) : -1;
    this.pick(i, all[Math.max(0, Math.min(all.length - 1, at + by))]);
  }

  // One run at a time; of changes that come meanwhile the last one.
  async rerun(wanted = () => {}) {
    this.touched = true;
    this.wanted = wanted;
    if (this.busy) return;
    this.busy = true;
    this.box.setAttribute('aria-busy', 'true');
    try {
      while (this.wanted) {
        const {laps} = await this.engine(), then = this.wanted, wasOver = this.over, now = {...this.now};
        this.wanted = undefined;
        const after = (at) => Math.max(0, Math.round((this.now.at - at) / kQuery));
        const afters = this.first.map((at) => this.now.at ? after(at) : undefined);
        const made = await laps(now, afters);
        if (this.wanted && this.pending) continue;  // the button again: what came of the first is nobody's wish
        this.laps = withFirsts(made);
        this.ran = now;
        this.trouble.replaceChildren();
        this.pending = undefined;
        if (wasOver) this.time = this.cycles;
        this.layOut();
        then();
      }
    } catch (error) {
      this.pending = this.wanted = undefined;
      this.now = {...this.ran};
      this.trouble.replaceChildren(sorry(error));
      this.layOut();
    }
    this.busy = false;
    this.box.removeAttribute('aria-busy');
  }

  async engine() {
    for (const name of ['player.js', 'engine.js', 'again.js']) await load(name);
    return clcBook.again;
  }

  // ---- the link: #race=SETUP,UNEVEN,URGENT,TIME; URGENT is 0 without one ----

  get link() {
    const {setup, uneven, at} = this.now;
    return `#race=${[setup, uneven, at, Math.round(Math.max(0, this.time))].join()}`;
  }

  copy() {
    this.goTo();
    history.replaceState(null, '', this.link);
    copy(this.linker, 'Copy link', location.href, () => 'In the address bar');
  }

  // Whether the address holds a race.
  take(hash) {
    const [setup, uneven, at, time] = /^#race=(\d+),(\d+),(\d+),(\d+)$/.exec(hash)?.slice(1).map(Number) ?? [];
    if (time === undefined) return false;
    const now = {setup, uneven, at: at && Math.max(at, this.soonest)};
    for (const {field: {name, max}} of this.sliders) now[name] = Math.min(now[name], Number(max));
    const same = Object.keys(now).every((key) => now[key] === this.now[key]);
    this.now = now;
    this.goTo(time);
    if (!same) this.rerun(() => this.goTo(time));
    return true;
  }
}

document.head.append(element('style', clcBook.race.style));
for (const root of document.querySelectorAll('.race')) new Race(root, clcBook.race);
