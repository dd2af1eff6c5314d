// Mouse, pen and fingers on a view: scrub on the strip; on the rows pan, zoom, and choose by a tap.

export function listenToPointers(player, view) {
  const pointers = new Map();                  // where each is
  let moved = false, start = 0, gripped = [];  // by two fingers: the times that stay under them
  const scrub = (event) => player.goToTime(view.whole.time(event.offsetX));
  view.strip.addEventListener('pointerdown', (event) => {
    view.strip.setPointerCapture(event.pointerId);
    player.stop();
    scrub(event);
  });
  view.strip.addEventListener('pointermove', (event) => {
    if (event.buttons && !player.guess.question) scrub(event);
  });
  view.strip.addEventListener('pointerup', () => {
    player.axis.reveal(player.moment.time);
    player.show();
  });

  view.rows.addEventListener('pointerdown', (event) => {
    view.rows.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event.offsetX);
    moved = false;
    start = event.offsetX;
    if (pointers.size !== 2) return;
    moved = true;
    gripped = [...pointers.values()].map((x) => player.axis.time(x));
  });
  view.rows.addEventListener('pointermove', (event) => {
    if (!pointers.has(event.pointerId)) {
      if (view.seen) view.rows.title = view.lanes.explain(event.offsetX, event.offsetY, view.seen);
      return;
    }
    const before = pointers.get(event.pointerId), {axis} = player;
    pointers.set(event.pointerId, event.offsetX);
    if (Math.abs(event.offsetX - start) > 4) moved = true;
    if (!moved) return;
    if (pointers.size === 2) {
      const [x, otherX] = pointers.values(), cycles = (gripped[1] - gripped[0]) / (otherX - x);  // of a pixel
      const from = gripped[0] - (x - axis.left) * cycles;
      if (Math.abs(otherX - x) > 8 && cycles > 0) axis.show(from, from + cycles * axis.width);
    } else {
      axis.pan((before - event.offsetX) / axis.width);
    }
    player.paint();
  });
  const release = (event) => {
    const known = pointers.delete(event.pointerId);
    if (!known || moved || event.type === 'pointercancel') return known && player.show();
    return player.choosePlace(view, event.offsetX, event.offsetY);
  };
  view.rows.addEventListener('pointerup', release);
  view.rows.addEventListener('pointercancel', release);
  view.rows.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    const {axis} = player;
    if (event.ctrlKey || event.metaKey)
      axis.zoom(Math.exp(event.deltaY / 300), axis.time(event.offsetX));
    else
      axis.pan(event.deltaX / axis.width);
    player.show();
  }, {passive: false});
}
