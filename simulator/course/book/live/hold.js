// A jump within a page lands where it leads, also where players above are still loaded.
const kSeconds = 15;  // on a slow machine players come late; a reader who moves ends it before

let place = null, end = 0;

function keep(hash) {
  place = document.getElementById(decodeURIComponent(hash.slice(1)));
  end = performance.now() + kSeconds * 1000;
}

export function holdJumps() {
  keep(location.hash);
  addEventListener('hashchange', () => keep(location.hash));
  addEventListener('click', ({target}) => {
    const link = target.closest('a[href*="#"]');
    if (link) keep(link.hash);
  });
  for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    addEventListener(event, () => place = null, {capture: true, passive: true});
  new ResizeObserver(() => {
    if (performance.now() < end) place?.scrollIntoView({behavior: 'instant'});
  }).observe(document.querySelector('[role="main"]') ?? document.body);  // Furo's body is as high as the window
}
