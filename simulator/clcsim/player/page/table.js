// The events as a table: some rows around the moment, for those who read rather than look.
import {element, linkButton} from './element.js';
import {grouped} from './numbers.js';
import {blockName} from './record.js';
import {headlined} from './words.js';

const kRows = 40;

/// `chosen(i)`: a row was chosen. `wanted(i)`: which events; `hidden`: those from this one on are not shown.
export function showTable(body, run, panel, index, wanted, hidden, chosen) {
  const {events} = panel, around = [];
  for (let i = index; i >= 0 && around.length < kRows / 2; i--)
    if (wanted(i) || i === index) around.unshift(i);
  for (let i = index + 1; i < Math.min(events.length, hidden) && around.length < kRows; i++)
    if (wanted(i)) around.push(i);
  body.replaceChildren(...around.map((i) => {
    const go = linkButton(String(i + 1), () => chosen(i), {'aria-label': `go to event ${i + 1}`});
    const block = events.block[i] >= 0 ? blockName(panel.launches[events.launch[i]], events.block[i]) : '';
    const cells = [grouped(events.time[i] - panel.begin), block], [headline, rest] = headlined(run, panel, i);
    return element(
        'tr', '', i === index ? {'aria-current': 'true'} : {}, element('td', '', {}, go),
        ...cells.map((text) => element('td', text)), element('td', '', {}, element('b', headline), rest));
  }));
}
