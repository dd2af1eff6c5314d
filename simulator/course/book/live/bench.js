// A place in the page where a command runs: its button, its knobs, what it prints, and its player.
import {element} from '../../../clcsim/player/page/element.js';

import {load, roomLink} from './load.js';
import {reportOf} from './report.js';
import {watch} from './watch.js';

/// What runs commands: run() of engine.js.
export async function engine() {
  await load('player.js');  // whose numbers the engine's page writes, too
  await load('engine.js');
  return clcBook.engine.ready;
}

/// A field for a whole number.
export function knob(name, value) {
  const field = element('input', '', {type: 'number', min: 0, max: 1000000, value, name});
  return element('label', `${name} `, {}, field);
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

  async show(record) {
    this.clear();
    this.place.hidden = false;
    this.player = await watch(this.place, record);
    this.place.scrollIntoView({block: this.place.offsetHeight < innerHeight ? 'nearest' : 'start'});
  }
}

/// What one command says: {box, run(knobs)}. Its player stands below that, or on a stage elsewhere, for which
/// `watcher` is the button.
export class Screen {
  constructor(command, {title = 'Watch this run', stage = null} = {}) {
    this.command = command;
    this.output = element('pre', '', {class: 'live-output', tabindex: '0', 'aria-live': 'polite', hidden: ''});
    this.watcher = element('button', title, {type: 'button', hidden: '', onclick: () => this.watch()});
    this.stage = stage ?? new Stage();
    this.box = element('div', '', {class: 'live-screen'}, this.output);
    if (!stage) this.box.append(this.watcher, this.stage.place);
  }

  say(text) {
    this.output.hidden = false;
    this.output.replaceChildren(...reportOf(text));
    this.output.scrollTop = this.output.scrollHeight;  // a very long one: the verdict stands at its end
  }

  async run(knobs) {
    this.stage.clear();
    this.watcher.hidden = true;
    this.say('Running ...');
    try {
      const {run} = await engine(), {error, report, output, reply} = await run(this.command, knobs);
      this.say(error ? `${report}${error}\n` : report + output);
      this.record = reply.record;
      this.watcher.hidden = !this.record;
    } catch (error) {
      this.say(`It can\u2019t run here: ${error.message}.`);
    }
  }

  watch() { return this.stage.show(this.record); }
}

/// The button and the fields that run `screens`, with a link to the playground if there is one.
export function controls(title, screens, knobs, room) {
  const fields = Object.entries(knobs).map(([name, value]) => knob(name, value));
  const values = () => Object.fromEntries(fields.map((label) => {
    const field = label.querySelector('input');
    return [field.name, Math.max(0, Math.round(Number(field.value)))];
  }));
  const button = element('button', title, {type: 'button', class: 'live-run'});
  button.addEventListener('click', async () => {
    button.disabled = true;
    await Promise.all(screens.map((screen) => screen.run(values())));
    button.disabled = false;
  });
  const bar = element('div', '', {class: 'live-bar'}, button, ...fields);
  if (room) bar.append(roomLink(room));
  return bar;
}
