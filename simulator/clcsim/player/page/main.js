// The page of one run: a player, which keeps its moment in the page's address. Inside another page (srcdoc), as a
// notebook shows it, there is no address of its own.
const text = (id) => document.getElementById(id)?.textContent;
const player = clcPlayer.mount(document.getElementById('player'), JSON.parse(text('record')), {
  keys: document,
  address: location.protocol === 'about:' ?
      undefined :
      {read: () => location.hash, write: (address) => history.replaceState(null, '', address)},
  themed: (dark) => document.documentElement.classList.toggle('dark', dark),
});
document.title = player.title;
addEventListener('hashchange', () => player.open(location.hash));
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  player.focus();
});
