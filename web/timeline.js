// The timeline: what each slot did in the last two hours, or in less of it, larger.

import { get, getPages, serverNow } from './api.js';
import { announce, h, replace, setText } from './dom.js';
import { fleet, onEvent } from './fleet.js';
import { piecesOf, turnsOf } from './history.js';
import { collate, duration, text, timeOfDay } from './words.js';

const MINUTE_MS = 60 * 1000;
// How much time is shown, and how far apart its marks are.
const SPANS = [{ name: '2 hours', spanMs: 120 * MINUTE_MS, markMs: 15 * MINUTE_MS }, { name: '30 minutes', spanMs: 30 * MINUTE_MS, markMs: 5 * MINUTE_MS },
  { name: '5 minutes', spanMs: 5 * MINUTE_MS, markMs: MINUTE_MS }];
let span = SPANS[0];
const AGAIN_MS = 20000;
const AFTER_EVENT_MS = 1500;
const PAGES_MAX = 6;
const KINDS = { held: 'held', pairing: 'pairing', streaming: 'streaming', draining: 'draining', unknown: 'unknown' };
const nameOf = (id) => fleet.bodies.get(id)?.[0].body_name ?? fleet.nodes.get(id)?.name ?? id;
const headName = (id) => id === null ? 'unknown head' : fleet.nodes.get(id)?.name ?? id;

async function ask(nowMs) {
  const since = encodeURIComponent(new Date(nowMs - span.spanMs).toISOString());
  const kinds = ['lease_streaming', 'lease_draining', 'lease_unknown', 'lease_adopted'];
  const [ended, live, ...events] = await Promise.all([getPages(`sessions/history?since=${since}&limit=1000`, PAGES_MAX), get('sessions'),
    ...kinds.map((kind) => get(`events?type=${kind}&limit=1000`))]);
  return { sessions: [...ended.rows, ...live], turns: turnsOf(events.flat()), whole: ended.whole };
}

// "body/slot" -> pieces in the span, each with its session.
function slotsOf({ sessions, turns }, nowMs) {
  const slots = new Map();
  for (const list of fleet.bodies.values()) for (const row of list) slots.set(`${row.body_id}/${row.slot}`, { body: row.body_id, slot: row.slot, pieces: [] });
  for (const session of sessions) {
    const key = `${session.body_id}/${session.slot}`;
    if (!slots.has(key)) slots.set(key, { body: session.body_id, slot: session.slot, pieces: [] });
    for (const piece of piecesOf(session, turns, nowMs))
      if (piece.to >= nowMs - span.spanMs) slots.get(key).pieces.push({ ...piece, session });
  }
  return [...slots.values()].sort((a, b) => collate(nameOf(a.body), nameOf(b.body)) || a.slot - b.slot);
}

function describe(piece) {
  const { session } = piece;
  const why = piece.reason === '' ? piece.detail : text(piece.reason);
  return [`${KINDS[piece.kind]}: ${headName(session.head_id)}, ${session.experience ?? ''}`,
    `${timeOfDay(piece.from)} to ${piece.open ? 'now' : timeOfDay(piece.to)}, ${duration((piece.to - piece.from) / 1000)}${why === '' ? '' : `, ${why}`}`].join('. ');
}

function bar(piece, nowMs, tell) {
  const from = Math.max(0, (piece.from - nowMs + span.spanMs) / span.spanMs), to = Math.min(1, (piece.to - nowMs + span.spanMs) / span.spanMs);
  const words = describe(piece);
  const node = h('button.piece', { 'data-piece': piece.kind, 'aria-label': words, tabindex: '-1', onfocus: () => tell(words), onmouseenter: () => tell(words) });
  node.style.left = `${from * 100}%`;
  node.style.width = `max(${(to - from) * 100}%, 4px)`;
  return node;
}

// One stop for the Tab key in each row; the arrow keys go on from there.
function arrows(event) {
  const step = event.key === 'ArrowRight' ? 'nextElementSibling' : event.key === 'ArrowLeft' ? 'previousElementSibling' : null;
  const next = step === null ? null : document.activeElement?.[step];
  if (next?.classList.contains('piece')) { next.focus(); event.preventDefault(); }
}

function slotRow(slot, nowMs, tell) {
  const pieces = slot.pieces.sort((a, b) => a.from - b.from).map((piece) => bar(piece, nowMs, tell));
  pieces[0]?.setAttribute('tabindex', '0');
  return h('div.track-row', {}, h('a.track-name', { href: `#/node/${encodeURIComponent(slot.body)}` }, nameOf(slot.body), h('span', {}, ` slot ${slot.slot}`)),
    h('div.track', { role: 'group', 'aria-label': `${nameOf(slot.body)} slot ${slot.slot}, ${pieces.length} pieces`, onkeydown: arrows }, pieces));
}

function scale(nowMs) {
  const marks = [];
  for (let at = Math.ceil((nowMs - span.spanMs) / span.markMs) * span.markMs; at <= nowMs; at += span.markMs) {
    const mark = h('span.tick', {}, timeOfDay(at));
    mark.style.left = `${(at - nowMs + span.spanMs) / span.spanMs * 100}%`;
    marks.push(mark);
  }
  return h('div.track-row.scale', { 'aria-hidden': 'true' }, h('span.track-name'), h('div.track', {}, marks));
}

export function show(main) {
  const told = h('p.told', { 'aria-live': 'off' }, 'Point at a bar, or go to it with Tab and the arrow keys, to read what it was and why it ended.');
  const tracks = h('div.tracks'), note = h('p.hint');
  const spans = h('div.spans', { role: 'group', 'aria-label': 'Time shown' }, SPANS.map((one) => h('button', { 'aria-pressed': String(one === span), onclick: () => {
    span = one;
    for (const button of spans.children) button.setAttribute('aria-pressed', String(button.textContent === one.name));
    draw();
  } }, `${one.name}`)));
  const legend = h('ul.legend', {}, Object.entries(KINDS).map(([kind, word]) => h('li', {}, h('span.swatch', { 'data-piece': kind }), word)));
  main.append(h('h1', {}, 'Timeline'), h('p.lead', {}, 'What each slot did.'), spans, legend, told, tracks, note);
  let timer = null, ended = false, asked = 0, soon = false;

  async function draw() {
    clearTimeout(timer);
    soon = false;
    const mine = ++asked;
    try {
      const nowMs = serverNow(), got = await ask(nowMs);
      if (ended || mine !== asked) return;
      const focused = document.activeElement?.getAttribute('aria-label') ?? null;
      const slots = slotsOf(got, nowMs);
      replace(tracks, scale(nowMs), slots.map((slot) => slotRow(slot, nowMs, (words) => setText(told, words))));
      if (focused !== null) tracks.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
      setText(note, got.whole ? '' : 'There were more sessions than can be shown; the oldest are left out.');
    } catch (error) { setText(note, error.message); announce(error.message); }
    if (!ended && mine === asked && !soon) timer = setTimeout(draw, AGAIN_MS);
  }
  draw();
  const stop = onEvent((event) => {
    if (!event.type.startsWith('lease_') || soon) return;
    soon = true;
    clearTimeout(timer);
    timer = setTimeout(draw, AFTER_EVENT_MS);
  });
  return () => { ended = true; stop(); clearTimeout(timer); };
}
