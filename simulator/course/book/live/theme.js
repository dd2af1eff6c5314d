// Whether the page is dark, whoever has decided that: the reader, the reader's system, or the page's generator.
const system = matchMedia('(prefers-color-scheme: dark)');

export function theme() {
  for (const element of [document.body, document.documentElement]) {
    const [r, g, b, a = 1] = getComputedStyle(element).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    if (a > 0) return 0.3 * r + 0.6 * g + 0.1 * b < 128 ? 'dark' : 'light';
  }
  return system.matches ? 'dark' : 'light';
}

export function onTheme(action) {
  let last = theme();
  const look = () => {
    if (theme() === last) return;
    last = theme();
    action(last);
  };
  system.addEventListener('change', look);
  const observer = new MutationObserver(look);
  for (const element of [document.body, document.documentElement]) observer.observe(element, {attributes: true});
  document.addEventListener('transitionend', look);  // of a background that fades
}
