// A report in a page: what stands behind "more" leads to that pitfall, and a line of the task to the line in the page.
import {element} from '../../../clcsim/player/page/element.js';

const kPlaces = /(?<=^=+ +more +)(?<chapter>\w+), (?<pitfall>[\w-]+)$|(?<=\/)task\.cu:(?<line>\d+)/gm;

/// What the text becomes. goTo(line), if the page has the task's lines.
export function reportOf(text, goTo) {
  const parts = [];
  let at = 0;
  for (const {0: words, index, groups: {chapter, pitfall, line}} of text.matchAll(kPlaces)) {
    parts.push(text.slice(at, index));
    at = index + words.length;
    if (pitfall)
      parts.push(element('a', words, {href: `${clcBook.at}../${chapter}/PITFALLS.html#${pitfall}`}));
    else
      parts.push(goTo ? element('button', words, {type: 'button', onclick: () => goTo(Number(line))}) : words);
  }
  return [...parts, text.slice(at)];
}
