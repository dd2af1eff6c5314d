// Whether the page is dark: the reader has decided that with Furo's button, or the reader's system.
const system = matchMedia('(prefers-color-scheme: dark)');

export function theme() {
  const {theme} = document.body.dataset;
  return theme === 'light' || theme === 'dark' ? theme : system.matches ? 'dark' : 'light';
}

export function onTheme(action) {
  const look = () => action(theme());
  system.addEventListener('change', look);
  new MutationObserver(look).observe(document.body, {attributeFilter: ['data-theme']});
}
