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

export const find = (id) => document.getElementById(id);
