// The moment in the address of the page: #panel=1&event=57&block=0:3&from=0&to=9000
export function writeAddress(moment) {
  const parts = [`panel=${moment.panel + 1}`, `event=${moment.event}`];
  if (moment.block >= 0) parts.push(`block=${moment.launch}:${moment.block}`);
  if (moment.from !== undefined) parts.push(`from=${Math.round(moment.from)}`, `to=${Math.round(moment.to)}`);
  return '#' + parts.join('&');
}

/// What an address says; only what makes sense for these panels.
export function readAddress(hash, panels) {
  const values = new Map(hash.replace(/^#/, '').split('&').map((part) => part.split('=')));
  const number = (name) => {
    const value = Number(values.get(name));
    return values.has(name) && Number.isFinite(value) ? value : undefined;
  };
  const moment = {};
  const panel = number('panel');
  if (panel !== undefined && panels[panel - 1] && panels[panel - 1].repeats < 0) moment.panel = panel - 1;
  if (number('event') !== undefined) moment.event = Math.floor(number('event'));
  const block = /^(\d+):(\d+)$/.exec(values.get('block') ?? '');
  if (block) Object.assign(moment, {launch: Number(block[1]), block: Number(block[2])});
  if (number('from') !== undefined && number('to') > number('from'))
    Object.assign(moment, {from: number('from'), to: number('to')});
  return moment;
}
