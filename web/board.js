// The board: districts, venues, bodies, slots; what each does, for whom, since when, and what ends it.

import { isAdmin } from './api.js';
import { h, patch, setAttribute, setText } from './dom.js';
import { fleet, nameOf, onChange, rowAge, rows } from './fleet.js';
import { hands } from './hands.js';
import { KINDS, belongs, collate, duration, endOf, headOf, rowKey, stateOf, timeOfDay } from './words.js';

const FILTERS = { ...KINDS, attention: 'Attention' };
let only = null;                // one of FILTERS, null: all
let search = '';

// ---- one slot ----

// A thousand rows are copies of one: several times faster than making each.
const rowMould = h('li.slot', {}, h('span.state', {}, h('span.word'), h('span.slot-number')), h('span.who', {}, h('span.head'), h('span.experience'), h('span.detail')),
  h('span.when', {}, h('span.home'), h('span.since'), h('span.ends')));
const button = h('button.hand', { title: 'Act' }, '⋯');

function makeRow() {
  const node = rowMould.cloneNode(true);
  const [[word, slot], [head, experience, detail], [home, since, ends]] = [...node.children].map((part) => part.children);
  const view = { node, row: null, word, slot, head, experience, home, since, ends, detail, button: null };
  if (isAdmin()) {
    view.button = button.cloneNode(true);
    view.button.addEventListener('click', () => hands(view.row));
    node.append(view.button);
  }
  return view;
}

function updateRow(view, row) {
  view.row = row;
  const state = stateOf(row), place = belongs(row);
  setAttribute(view.node, 'data-kind', state.kind);
  setAttribute(view.node, 'data-divergent', row.divergence.length > 0 ? 'yes' : null);
  setText(view.word, state.word);
  setText(view.slot, `slot ${row.slot}`);
  setText(view.head, headOf(row, nameOf));
  setText(view.experience, row.lease?.experience ?? row.observed?.app ?? '');
  setText(view.home, place === 'home' ? 'home' : place === 'guest' ? `guest from ${row.lease.head_venue}` : '');
  setAttribute(view.home, 'data-place', place || null);
  setText(view.detail, state.detail);
  if (view.button !== null) setAttribute(view.button, 'aria-label', `Act on slot ${row.slot} of ${row.body_name ?? row.body_id}`);
  updateTimes(view);
}

function updateTimes(view) {
  const row = view.row, later = rowAge(row);
  const seconds = row.lease?.age_seconds ?? null;
  setText(view.since, seconds === null ? '' : `for ${duration(seconds + later)}`);
  setText(view.ends, endOf(row, later));
}

// ---- one body ----

function makeBody(list) {
  const name = h('a.body-name', { href: `#/node/${encodeURIComponent(list[0].body_id)}` });
  const age = h('span.report'), marks = h('span.marks');
  const slots = h('ul.slots');
  return { node: h('article.body', { 'data-body': list[0].body_id }, h('header', {}, h('h4', {}, name), marks, age), slots), name, age, marks, slots,
    shown: new Map(), list: null, nodes: null };
}

// What an operator has set on it, or the circuit has.
function marksOf(node) {
  const body = node?.body ?? null, marks = [];
  if (node !== undefined && node.approval !== 'approved') marks.push(node.approval === 'denied' ? 'denied' : 'not approved');
  if (body === null) return marks;
  if (body.drain_deadline_at !== null) marks.push(`drains until ${timeOfDay(body.drain_deadline_at)}`);
  else if (body.maintenance) marks.push('maintenance');
  if (body.circuit !== 'closed') marks.push(body.circuit === 'open' ? 'circuit open' : 'circuit on trial');
  return marks;
}

function updateMarks(view) {
  const marks = marksOf(fleet.nodes.get(view.list[0].body_id));
  if (view.marks.textContent !== marks.join('')) view.marks.replaceChildren(...marks.map((mark) => h('span.mark', {}, mark)));
}

function updateBody(view, list) {
  if (view.list === list && view.nodes === fleet.nodes) return;         // the same answers as before
  view.nodes = fleet.nodes;
  view.list = list;
  setText(view.name, list[0].body_name ?? list[0].body_id);
  setAttribute(view.node, 'data-divergent', list.some((row) => row.divergence.length > 0) ? 'yes' : null);
  patch(view.slots, view.shown, list, rowKey, makeRow, updateRow);
  updateReport(view);
  updateMarks(view);
}

function updateReport(view) {
  const seen = view.list.find((row) => row.observed?.source === 'body')?.observed;
  setText(view.age, seen === undefined || seen.age_seconds === null ? 'no report' : `report ${duration(seen.age_seconds + rowAge(view.list[0]))} ago`);
}

// ---- venues and districts ----

const byName = (a, b) => collate(a[0] ?? '', b[0] ?? '');

function counted(lists) {
  const counts = new Map();
  for (const list of lists)
    for (const row of list) {
      const kind = stateOf(row).kind;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  return Object.keys(KINDS).filter((kind) => counts.has(kind)).map((kind) => `${counts.get(kind)} ${KINDS[kind].toLowerCase()}`).join(' · ');
}

function makeVenue([name]) {
  const counts = h('span.counts'), bodies = h('div.bodies');
  return { node: h('section.venue', {}, h('h3', {}, name ?? 'no venue', counts), bodies), counts, bodies, shown: new Map() };
}
function updateVenue(view, [, lists]) {
  setText(view.counts, counted(lists));
  patch(view.bodies, view.shown, lists, (list) => list[0].body_id, makeBody, updateBody);
}

function makeDistrict([name]) {
  const venues = h('div.venues'), heading = h('h2', {}, name ?? 'no district');
  return { node: h('section.district', {}, heading, venues), venues, shown: new Map() };
}
function updateDistrict(view, [, venues]) {
  patch(view.venues, view.shown, [...venues].sort(byName), ([name]) => name ?? '', makeVenue, updateVenue);
}

const wanted = (row) => only === null || (only === 'attention' ? row.divergence.length > 0 : stateOf(row).kind === only);
function found(row) {
  return search === '' || [row.body_name, row.body_id, row.venue, row.district, headOf(row, nameOf), row.lease?.experience]
    .some((text) => text !== null && text !== undefined && text.toLowerCase().includes(search));
}

// district -> venue -> lists of rows, of those bodies that have a row to be seen.
function tree() {
  const districts = new Map();
  for (const list of fleet.bodies.values()) {
    if (!list.some((row) => wanted(row) && found(row))) continue;
    const { district, venue } = list[0];
    if (!districts.has(district)) districts.set(district, new Map());
    const venues = districts.get(district);
    if (!venues.has(venue)) venues.set(venue, []);
    venues.get(venue).push(list);
  }
  for (const venues of districts.values())
    for (const lists of venues.values())
      lists.sort((a, b) => collate(a[0].body_name ?? '', b[0].body_name ?? '') || (a[0].body_id < b[0].body_id ? -1 : 1));
  return [...districts].sort(byName);
}

// ---- the view ----

function makeSummary(redraw) {
  const chips = new Map();
  const bar = h('div.summary', { role: 'group', 'aria-label': 'Show only' });
  for (const [kind, name] of Object.entries(FILTERS)) {
    const number = h('strong', {}, '0');
    const chip = h('button.chip', { 'data-kind': kind, 'aria-pressed': 'false', onclick: () => { only = only === kind ? null : kind; redraw(); } },
      number, h('span', {}, name));
    chips.set(kind, { chip, number });
    bar.append(chip);
  }
  return { bar, chips };
}

function updateSummary(chips) {
  const counts = Object.fromEntries(Object.keys(FILTERS).map((kind) => [kind, 0]));
  for (const row of rows()) {
    counts[stateOf(row).kind]++;
    if (row.divergence.length > 0) counts.attention++;
  }
  for (const [kind, { chip, number }] of chips) {
    setText(number, String(counts[kind]));
    setAttribute(chip, 'aria-pressed', String(only === kind));
    setAttribute(chip, 'data-empty', counts[kind] === 0 ? 'yes' : null);
  }
}

export function show(main, argument) {
  if (argument.startsWith('?attention')) only = 'attention';
  const districts = h('div.districts'), empty = h('p.empty', {});
  const shown = new Map();
  const { bar, chips } = makeSummary(() => draw());
  const field = h('input', { type: 'search', placeholder: 'Find …', 'aria-label': 'Find a body, head, venue or experience',
    oninput: (event) => { search = event.target.value.trim().toLowerCase(); draw(); } });
  field.value = search;
  main.append(h('h1.hidden', {}, 'Board'), h('div.tools', {}, bar, field), empty, districts);

  function draw() {
    updateSummary(chips);
    const all = tree();
    patch(districts, shown, all, ([name]) => name ?? '', makeDistrict, updateDistrict);
    setText(empty, !fleet.ready ? 'Asking the cluster …' : all.length > 0 ? '' : fleet.bodies.size === 0 ? 'No body is enrolled yet.'
      : 'Nothing here is like that.');
    empty.hidden = empty.textContent === '';
    if (fleet.ready && performance.getEntriesByName('board').length === 0) performance.mark('board');       // for whoever measures
  }
  function* bodies() {
    for (const district of shown.values()) for (const venue of district.shown.values()) yield* venue.shown.values();
  }
  function tick() {
    for (const body of bodies()) {
      updateReport(body);
      for (const view of body.shown.values()) updateTimes(view);
    }
  }
  draw();
  const stop = onChange((change) => { if (change.bodies !== undefined || change.nodes) draw(); });
  const timer = setInterval(tick, 1000);
  return () => { stop(); clearInterval(timer); };
}

