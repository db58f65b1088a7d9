// The queue: who waits, at which place, how long already and how long still, why, and what they were passed over for.

import { h, patch, setAttribute, setText } from './dom.js';
import { fleet, onChange, queueAge } from './fleet.js';
import { duration, ordinal, plural, text, texts } from './words.js';

const nameOf = (id) => fleet.bodies.get(id)?.[0].body_name ?? id;

const STATES = { waiting: 'Waits', promoted: 'Has a slot: its head must collect it', confirm_required: 'Must confirm that somebody is still there' };

function makeTicket() {
  const view = { place: h('span.place'), head: h('a.head'), where: h('span.where'), experience: h('span.experience'), state: h('span.word'),
    waited: h('strong'), eta: h('strong'), why: h('span.why'), skipped: h('ul.skipped'), list: null };
  view.skippedBox = h('details', {}, h('summary', {}, ''), view.skipped);
  view.node = h('li.ticket', {}, view.place,
    h('div.who', {}, view.head, view.where, view.experience),
    h('dl.numbers', {}, h('div', {}, h('dt', {}, 'waits'), h('dd', {}, view.waited)), h('div', {}, h('dt', {}, 'about'), h('dd', {}, view.eta))),
    h('div.reason', {}, view.state, view.why, view.skippedBox));
  return view;
}

function updateTicket(view, ticket) {
  view.ticket = ticket;
  setText(view.place, ordinal(ticket.position));
  setAttribute(view.node, 'data-state', ticket.state);
  setText(view.head, ticket.head_name ?? ticket.head_id);
  setAttribute(view.head, 'href', `#/node/${encodeURIComponent(ticket.head_id)}`);
  setText(view.where, `${ticket.venue ?? 'no venue'}${ticket.protocol < 2 ? ' · older head' : ''}`);
  setText(view.experience, ticket.experience);
  setText(view.state, STATES[ticket.state] ?? ticket.state);
  setText(view.why, ticket.reason ? text(ticket.reason) : '');
  const skipped = JSON.stringify(ticket.skipped);
  if (skipped !== view.list) {
    view.list = skipped;
    view.skippedBox.hidden = ticket.skipped.length === 0;
    setText(view.skippedBox.firstElementChild, `Passed over for ${plural(ticket.skipped.length, 'free slot')}`);
    view.skipped.replaceChildren(...ticket.skipped.map((one) => h('li', {}, h('strong', {}, nameOf(one.body_id)), ` slot ${one.slot}: ${texts(one.why_not)}`)));
  }
  updateTimes(view);
}

function updateTimes(view) {
  const later = queueAge();
  setText(view.waited, duration(view.ticket.waited_seconds + later));
  const eta = view.ticket.eta_seconds === null ? null : view.ticket.eta_seconds - later;
  setText(view.eta, eta === null ? 'not known yet' : eta < 1 ? 'any moment' : `${duration(eta)} more`);
}

export function show(main) {
  const list = h('ol.tickets'), empty = h('p.empty'), sum = h('p.lead');
  const shown = new Map();
  main.append(h('h1', {}, 'Queue'), sum, empty, list);
  function draw() {
    patch(list, shown, fleet.queue, (ticket) => ticket.ticket_id, makeTicket, updateTicket);
    setText(empty, fleet.queue.length > 0 ? '' : fleet.ready ? 'Nobody waits.' : 'Asking the cluster …');
    empty.hidden = fleet.queue.length > 0;
    setText(sum, fleet.queue.length > 0 ? `${plural(fleet.queue.length, 'visitor')} ${fleet.queue.length === 1 ? 'waits' : 'wait'}, the oldest for ${
      duration(Math.max(...fleet.queue.map((ticket) => ticket.waited_seconds)))}.` : '');
  }
  draw();
  const stop = onChange((change) => { if (change.queue || change.bodies !== undefined) draw(); });
  const timer = setInterval(() => { for (const view of shown.values()) updateTimes(view); }, 1000);
  return () => { stop(); clearInterval(timer); };
}
