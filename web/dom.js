// Elements from data. Everything that the daemon says becomes text, never markup: there is no innerHTML on this page.

// h('p.note', {title: 'x', onclick: f}, 'text', otherElement). A null or false child, or attribute, is left out.
export function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split('.');
  const node = document.createElement(tag);
  if (classes.length > 0) node.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
}

export function replace(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

// Writes only what is different, so that a thousand rows that stay the same cost no layout.
export function setText(node, text) {
  if ((node.firstChild?.data ?? '') !== text) node.textContent = text;
}
export function setAttribute(node, key, value) {
  if (value === null || value === false) {
    if (node.hasAttribute(key)) node.removeAttribute(key);
  } else if (node.getAttribute(key) !== String(value)) {
    node.setAttribute(key, String(value));
  }
}

// Children of `parent` by key: those that stay are updated in place, those that are new are made, the others go.
// `shown` is a Map that the caller keeps; make(item) gives {node, ...}, update(view, item) writes into it.
export function patch(parent, shown, items, keyOf, make, update) {
  const keys = new Set();
  let next = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    keys.add(key);
    let view = shown.get(key);
    if (view === undefined) {
      view = make(item);
      shown.set(key, view);
    }
    update(view, item);
    if (view.node === next) next = next.nextElementSibling;
    else parent.insertBefore(view.node, next);
  }
  for (const [key, view] of shown) {
    if (keys.has(key)) continue;
    view.node.remove();
    shown.delete(key);
  }
}

const announcer = () => document.getElementById('announce');
let announced = '';
// For those who listen instead of looking.
export function announce(text) {
  announced = text === announced ? text + ' ' : text;      // the same text twice is news twice
  announcer().textContent = announced;
}
