// Elements of the page.

/// An element with text, attributes and listeners: element('button', 'Run', {type: 'button', onclick: run}).
export function element(name, text = '', attributes = {}, ...children) {
  const result = document.createElement(name);
  result.textContent = text;
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on'))
      result.addEventListener(key.slice(2), value);
    else
      result.setAttribute(key, value);
  }
  result.append(...children);
  return result;
}

/// A button that looks like a link.
export const linkButton = (text, onclick, attributes = {}) =>
    element('button', text, {type: 'button', class: 'link', onclick, ...attributes});

/// A paragraph, or what `name` is, of texts and links {text, ...}; `follow(link)`: one was clicked.
export function sentenceWithLinks(parts, follow, attributes = {}, name = 'p') {
  const made = element(name, '', attributes);
  for (const part of parts) made.append(typeof part === 'string' ? part : linkButton(part.text, () => follow(part)));
  return made;
}
