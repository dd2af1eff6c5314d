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
  const values = new Map(hash.replace(/^#/, '').split('&').map((part) => part.split('='))), view = {};
  const [, launch, block] = /^(\d+):(\d+)$/.exec(values.get('block') ?? '') ?? [];
  if (block) Object.assign(view, {launch: Number(launch), block: Number(block)});
  for (const name of ['panel', 'event', ...numbers])
    if (values.has(name) && Number.isFinite(Number(values.get(name)))) view[name] = Number(values.get(name));
  if (view.event !== undefined) view.event = Math.floor(view.event);
  if (panels[view.panel - 1]?.repeats < 0)
    view.panel -= 1;
  else
    delete view.panel;
  if (!(view.to > view.from)) {
    delete view.from;
    delete view.to;
  }
  return view;
}
