// What each key does.

const actions = {
  ArrowRight: (player, shift) => player.step(1, shift ? 'block' : undefined),
  ArrowLeft: (player, shift) => player.step(-1, shift ? 'block' : undefined),
  PageDown: (player) => player.step(1),
  PageUp: (player) => player.step(-1),
  ArrowDown: (player) => player.changeBlock(1),
  ArrowUp: (player) => player.changeBlock(-1),
  Home: (player) => player.goTo(0),
  End: (player) => player.goToEnd(),
  ' ': (player) => player.play(),
  t: (player, shift) => player.step(shift ? -1 : 1, 'steal'),
  l: (player, shift) => player.step(shift ? -1 : 1, 'line'),
  f: (player, shift) => player.step(shift ? -1 : 1, 'finding'),
  b: (player) => player.goTo(player.moment.event, {follow: true}),
  w: (player) => player.zoom(0.6),
  '+': (player) => player.zoom(0.6),
  '=': (player) => player.zoom(0.6),
  s: (player) => player.zoom(1 / 0.6),
  '-': (player) => player.zoom(1 / 0.6),
  a: (player) => player.pan(-0.25),
  d: (player) => player.pan(0.25),
  0: (player) => player.zoomOut(),
  g: (player) => player.setGuessing(!player.guessing),
  c: (player) => player.copyLink(),
  '/': (player) => player.openSearch(),
  '?': (player) => player.find('help').showModal(),
};

/// Answers a keydown; what a field, a button or a list needs itself stays with it.
export function answerKey(player, event) {
  if (!player.panel || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented ||
      player.find('help').open)
    return;
  const {target} = event;
  if (target.closest?.('input:not([type=checkbox]), select, textarea')) return;
  if (event.key === ' ' && target.closest?.('button, summary, input')) return;
  if (['ArrowDown', 'ArrowUp'].includes(event.key) && target.closest?.('.scroll, .source')) return;
  if (player.question && /^[1-4]$/.test(event.key)) {
    player.choose(Number(event.key) - 1);
    return;
  }
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action(player, event.shiftKey);
}
