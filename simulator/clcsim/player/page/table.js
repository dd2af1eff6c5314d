// The events as a table: some rows around the moment, for those who read rather than look.
import {element} from './element.js';
import {grouped} from './numbers.js';
import {blockName} from './record.js';
import {label, sentence} from './words.js';

/// `chosen(i)`: a row was chosen. `wanted(i)`: which events; `hidden`: those from this one on are not shown.
export function showTable(body, run, panel, index, wanted, hidden, chosen, rows = 40) {
  const {events} = panel, around = [];
  for (let i = index; i >= 0 && around.length < rows / 2; i--)
    if (wanted(i) || i === index) around.unshift(i);
  for (let i = index + 1; i < Math.min(events.length, hidden) && around.length < rows; i++)
    if (wanted(i)) around.push(i);
  body.replaceChildren(...around.map((i) => {
    const row = element('tr');
    if (i === index) row.setAttribute('aria-current', 'true');
    const go = element('button', String(i + 1), {type: 'button', class: 'link', 'aria-label': `go to event ${i + 1}`});
    go.addEventListener('click', () => chosen(i));
    const cell = element('td');
    cell.append(go);
    const block = events.block[i] >= 0 ? blockName(panel.launches[events.launch[i]], events.block[i]) : '';
    row.append(
        cell, element('td', grouped(events.time[i] - panel.begin)), element('td', block),
        element('td', label(run, panel, i)), element('td', sentence(run, panel, i)));
    return row;
  }));
}
