// A player inside a page's text: small at first, and opened at what the text speaks of.
import {load, roomLink} from './load.js';
import {onTheme, theme} from './theme.js';

// Several launches together: the latest is the urgent one. Else a run of CLC is about the first steal.
function goToWhatMatters(player, launch, begin) {
  const index = player.run.panels.findIndex(({launches}) => launches.some(({serial}) => serial === launch));
  if (index > 0) player.openLaunch(index);
  const {panel, run} = player;
  if (!panel || run.findings.length > 0) return;
  if (begin) return player.goTo(0);
  const last = panel.launches.at(-1);
  if (panel.launches.length > 1)
    player.goToTime(last.submitted);
  else if (player.nextIndex(1, 'steal') >= 0)
    player.goTo(player.nextIndex(1, 'steal'));
}

/// Puts a player into `root`. `cycles`: the time axis has room for so many. `launch`: the one that is shown first,
/// counted from 1, from its begin if `begin`; `end`: all of it is over. `room`: of the playground. shown, steps: as the
/// player has them.
export async function watch(
    root, record, {cycles = 0, launch = 0, begin = false, end = false, room, shown, steps} = {}) {
  await load('player.js');
  const player = clcPlayer.mount(root, record, {level: 4, compact: true, cycles, theme: theme(), shown, steps});
  onTheme((now) => player.setTheme(now));
  goToWhatMatters(player, launch, begin);
  if (end) player.goToEnd();
  if (room) player.find('legend').after(roomLink(room));
  return player;
}
