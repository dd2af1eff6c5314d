// A place in the page where a command runs: its button, its knobs, what it prints, and its player.
import {element} from '../../../clcsim/player/page/element.js';

import {load, roomLink} from './load.js';
import {chipOf, findingsOf, kindOf, rawOf} from './report.js';
import {watch} from './watch.js';

/// What runs commands: run() of engine.js.
export async function engine() {
  await load('player.js');  // whose numbers the engine's page writes, too
  await load('engine.js');
  return clcBook.engine.ready;
}

/// A place for a player, one at a time.
export class Stage {
  constructor() {
    this.place = element('div', '', {class: 'live'});
    this.clear();
  }

  clear() {
    this.player?.destroy();
    this.player = null;
    this.place.hidden = true;
  }

  /// how: as watch() has it.
  async show(record, how) {
    this.clear();
    this.place.hidden = false;
    this.player = await watch(this.place, record, how);
  }
}

/// A button that shows a run on a stage.
export class Watcher {
  constructor(title, stage = new Stage()) {
    this.stage = stage;
    const onclick = async () => {
      await this.show();
      stage.place.scrollIntoView({block: stage.place.offsetHeight < innerHeight ? 'nearest' : 'start'});
    };
    this.button = element('button', title, {type: 'button', hidden: '', onclick});
  }

  async show() {
    const record = await this.record();
    if (record) await this.stage.show(record, this.how);
  }

  /// record(): gives the run's record, or a promise of it; null: there is no run.
  offer(record, how) {
    this.stage.clear();
    Object.assign(this, {record, how});
    this.button.hidden = !record;
  }
}

const valuesOf = (text) => new Map([...text.matchAll(/^(\w+): (.*)$/gm)].map(([, ...each]) => each));

// What a run prints otherwise than the page does.
function changesOf(above, output) {
  const was = valuesOf(above), now = valuesOf(output), rows = [];
  for (const [name, value] of was) {
    if (now.get(name) === undefined || now.get(name) === value) continue;
    const mark = element('td', '', {}, element('mark', now.get(name)));
    rows.push(element('tr', '', {}, element('th', name, {scope: 'row'}), mark, element('td', `above: ${value}`)));
  }
  if (rows.length > 0) return element('table', '', {class: 'live-changes'}, element('tbody', '', {}, ...rows));
  return was.size > 0 ? element('p', 'It prints what stands above.') : '';
}

// The launch whose cycles a run prints: the one that took nearest to so many.
function timedLaunch({timed, launches}) {
  const away = ({cycles}) => Math.abs(cycles - timed);
  return timed ? 1 + launches.indexOf([...launches].sort((a, b) => away(a) - away(b))[0]) : 0;
}

/// How much of a run is over, told({cycles, started, launches}), as a part of 1; undefined: nobody can know yet.
/// `above`: what its first values printed.
function partOf(above) {
  const values = valuesOf(above), each = Number(values.get('blocks_started')),
        all = Number(values.get('blocks_launched'));
  let over = 0, since = 0;
  return ({cycles, started, launches}) => {
    const now = Math.floor((started - 1) / each);  // so many launches
    if (now > over) [over, since] = [now, cycles];
    const first = each === all ? (started - 1) / each - over : over > 0 ? (cycles - since) * over / since : NaN;
    const part = (over + Math.min(first, 1)) / launches;
    return part >= 0 ? Math.min(part, 1) : undefined;
  };
}

/// What one command says: {box, run(knobs)}. Its player stands below that, or on a stage elsewhere, where its `watcher`
/// has the button. `above`: what the page says that it prints.
export class Screen {
  constructor(command, {title = 'Watch this run', stage, above = ''} = {}) {
    this.command = command;
    this.above = above;
    this.card = element('div', '', {class: 'live-card', 'aria-live': 'polite', hidden: ''});
    this.watcher = new Watcher(title, stage);
    this.box = element('div', '', {class: 'live-screen'}, this.card);
    if (!stage) this.box.append(this.watcher.button, this.watcher.stage.place);
  }

  say(...parts) {
    this.card.hidden = false;
    this.card.className = 'live-card';
    this.card.replaceChildren(...parts);
  }

  show({error, report, output}) {
    const [, verdict] = /^verdict: (.*)$/m.exec(output) ?? [], isLuck = / clcsim: error /.test(report);
    const words = verdict === 'PASS' && isLuck ? 'PASS, by luck' : verdict;
    const rest = output.split('\n').filter((line) => line && !/^\w+: /.test(line));
    this.say(
        element('p', '', {}, ...(words ? [chipOf(words)] : []), ...rest.map((line) => ` ${line}`), error ?? ''),
        ...findingsOf(report), error ? '' : changesOf(this.above, output),
        rawOf(error ? `${report}${error}\n` : report + output));
    this.card.classList.add(kindOf(words ?? ''));
  }

  // It is of other values than those that stand there now.
  grey() {
    if (this.card.hidden || this.card.classList.contains('stale')) return;
    this.card.classList.add('stale');
    this.card.prepend(element('p', 'This is of the values before: run it again.', {class: 'live-old'}));
  }

  /// how: as run() of engine.js has it, but that told() gets a part of 1.
  async run(knobs, {signal, told} = {}) {
    this.watcher.offer(null);
    this.say('Running \u2026');
    try {
      const part = partOf(this.above), {run} = await engine();
      const ran = await run(this.command, knobs, {signal, told: (progress) => told(part(progress))}), {reply} = ran;
      if (reply.stopped) return this.say('Stopped: it has no result.');
      this.show(ran);
      this.watcher.offer(reply.record && (() => reply.record), {launch: timedLaunch(reply)});
    } catch (error) {
      this.say(`It can\u2019t run here: ${error.message}.`);
    }
  }
}

const kLong = 10;  // seconds: of a run that takes longer it is said how long

/// The form with the fields that run `screens`, with a link to the playground if there is one.
export function controls(title, screens, knobs, room) {
  const fields = Object.entries(knobs).map(
      ([name, value]) =>
          element('input', '', {type: 'number', min: 0, max: 1000000, step: 1, required: '', value, name}));
  const labels = fields.map((field) => element('label', `${field.name} `, {}, field));
  const button = element('button', title, {class: 'live-run'}), left = element('span');
  const stop = element('button', 'Stop', {type: 'button', class: 'live-stop', hidden: ''});
  const bar = element('progress', '', {max: 1, hidden: '', 'aria-label': 'how much of the run is over'});
  const form = element('form', '', {class: 'live-bar'}, button, stop, ...labels, bar, left);
  const setBusy = (busy) => {
    const had = [button, stop].includes(document.activeElement);
    button.disabled = button.hidden = busy;
    stop.hidden = bar.hidden = !busy;
    bar.removeAttribute('value');
    left.textContent = '';
    if (had) (busy ? stop : button).focus();
  };
  form.addEventListener('input', () => screens.forEach((screen) => screen.grey()));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    const values = Object.fromEntries(fields.map(({name, value}) => [name, Number(value)]));
    const halt = new AbortController(), begin = performance.now();
    const told = (part) => {
      if (part === undefined || screens.length > 1) return;
      const spent = (performance.now() - begin) / 1000, all = spent / part;
      bar.value = part;
      left.textContent = spent > 1 && all > kLong ? `some ${Math.ceil(all - spent)} s more` : '';
    };
    stop.onclick = () => halt.abort();
    setBusy(true);
    await Promise.all(screens.map((screen) => screen.run(values, {signal: halt.signal, told})));
    setBusy(false);
    if (fields.some(({name, value}) => Number(value) !== values[name])) screens.forEach((screen) => screen.grey());
  });
  if (room) form.append(roomLink(room));
  return form;
}
