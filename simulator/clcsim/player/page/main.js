// The page of one run: a player, which keeps its moment in the page's address.
const text = (id) => document.getElementById(id)?.textContent;
const player = clcPlayer.mount(document.getElementById('player'), JSON.parse(text('record')), {
  compare: JSON.parse(text('earlier') ?? 'null'),
  keys: document,
  address: {read: () => location.hash, write: (address) => history.replaceState(null, '', address)},
  themed: (dark) => document.documentElement.classList.toggle('dark', dark),
});
document.title = player.title;
addEventListener('hashchange', () => player.open(location.hash));
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  player.focus();
});
