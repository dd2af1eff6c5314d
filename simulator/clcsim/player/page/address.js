// The view in the address of the page: #panel=1&event=57&time=812&block=0:3&chosen=1&from=0&to=9000
const numbers = ['time', 'line', 'warp', 'chosen', 'from', 'to'];

export function writeAddress(view) {
  const parts = [`panel=${view.panel + 1}`, `event=${view.event}`];
  if (view.block >= 0) parts.push(`block=${view.launch}:${view.block}`);
  for (const name of numbers)
    if (view[name] !== undefined) parts.push(`${name}=${Math.round(view[name])}`);
  return '#' + parts.join('&');
}

/// What an address says; only what makes sense for these panels.
export function readAddress(hash, panels) {
  const values = new Map(hash.replace(/^#/, '').split('&').map((part) => part.split('=')));
  const number = (name) => {
    const value = Number(values.get(name));
    return values.has(name) && Number.isFinite(value) ? value : undefined;
  };
  const view = {};
  const panel = number('panel');
  if (panel !== undefined && panels[panel - 1] && panels[panel - 1].repeats < 0) view.panel = panel - 1;
  if (number('event') !== undefined) view.event = Math.floor(number('event'));
  const block = /^(\d+):(\d+)$/.exec(values.get('block') ?? '');
  if (block) Object.assign(view, {launch: Number(block[1]), block: Number(block[2])});
  for (const name of numbers)
    if (number(name) !== undefined) view[name] = number(name);
  if (!(view.to > view.from)) {
    delete view.from;
    delete view.to;
  }
  return view;
}
