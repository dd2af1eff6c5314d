// What each key does.

const actions = {
  ArrowRight: (player, shift) => player.step(1, shift ? 'event' : undefined),
  ArrowLeft: (player, shift) => player.step(-1, shift ? 'event' : undefined),
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
  b: (player, shift) => player.step(shift ? -1 : 1, 'block'),
  Escape: (player) => player.letGo(),
  w: (player) => player.zoom(0.6),
  '+': (player) => player.zoom(0.6),
  '=': (player) => player.zoom(0.6),
  s: (player) => player.zoom(1 / 0.6),
  '-': (player) => player.zoom(1 / 0.6),
  a: (player) => player.pan(-0.25),
  d: (player) => player.pan(0.25),
  z: (player) => player.zoomOut(),
  g: (player) => player.guess.set(!player.guess.on),
  '/': (player) => player.openFind(),
  '?': (player) => player.find('help').showModal(),
};

/// Answers a keydown; what a field, a button or a list needs itself stays with it. Page keys step in the player, as a
/// presenter's remote sends them, and scroll the page elsewhere.
export function answerKey(player, event) {
  if (!player.panel || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented ||
      player.find('help').open)
    return;
  const {target} = event;
  if (['PageUp', 'PageDown'].includes(event.key) && !player.box.contains(target)) return;
  if (target.closest?.('input:not([type=checkbox]), textarea')) return;
  // A list takes up and down; left and right step on.
  if (target.closest?.('select') && !['ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown'].includes(event.key)) return;
  if (event.key === ' ' && target.closest?.('button, summary, input')) return;
  if (['ArrowDown', 'ArrowUp'].includes(event.key) && target.closest?.('.scroll, .source')) return;
  if (player.guess.question && /^[1-8]$/.test(event.key)) {
    player.guess.choose(Number(event.key) - 1);
    return;
  }
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action(player, event.shiftKey);
}
