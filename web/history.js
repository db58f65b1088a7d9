// What the history of sessions and the events say about a slot's past, as pieces of time: pure, no page.

// Events that begin another piece of a lease.
const BEGINS = { lease_streaming: 'streaming', lease_draining: 'draining', lease_unknown: 'unknown', lease_adopted: 'streaming' };
const at = (instant) => (instant === null || instant === undefined ? null : Date.parse(instant));

// lease id -> [{at, kind, detail}], oldest first; `events` in any order.
export function turnsOf(events) {
  const turns = new Map();
  for (const event of events) {
    const kind = BEGINS[event.type];
    if (kind === undefined || !event.lease_id) continue;
    if (!turns.has(event.lease_id)) turns.set(event.lease_id, []);
    turns.get(event.lease_id).push({ at: at(event.at), kind, detail: event.detail ?? '' });
  }
  for (const list of turns.values()) list.sort((a, b) => a.at - b.at);
  return turns;
}

// The pieces of one session: {kind, from, to, open, reason}. kind: held, pairing, streaming, draining, unknown. Without events the session's own
// instants say when it was held and when it streamed.
export function piecesOf(session, turns, nowMs) {
  const start = at(session.granted_at), ended = at(session.ended_at), to = ended ?? nowMs;
  if (start === null) return [];
  const marks = [{ at: start, kind: session.source === 'adopted' ? 'streaming' : session.mode === 'pair' ? 'pairing' : 'held', detail: '' }];
  const streaming = at(session.streaming_at);
  if (streaming !== null) marks.push({ at: streaming, kind: 'streaming', detail: '' });
  for (const turn of turns.get(session.lease_id) ?? []) if (turn.at >= start && turn.at <= to) marks.push(turn);
  marks.sort((a, b) => a.at - b.at);
  if (ended === null && ['pairing', 'starting'].includes(session.state)) marks[marks.length - 1].kind = 'pairing';
  if (ended === null && ['draining', 'unknown'].includes(session.state)) {
    const last = marks[marks.length - 1];
    if (last.kind !== session.state) marks.push({ at: nowMs, kind: session.state, detail: session.reason ?? '' });
  }
  const pieces = [];
  for (let i = 0; i < marks.length; i++) {
    const until = i + 1 < marks.length ? marks[i + 1].at : to;
    const before = pieces.at(-1);
    if (before !== undefined && before.kind === marks[i].kind) { before.to = until; continue; }
    if (until > marks[i].at || i + 1 === marks.length)
      pieces.push({ kind: marks[i].kind, from: marks[i].at, to: until, detail: marks[i].detail, open: false, reason: '' });
  }
  const last = pieces.at(-1);
  if (last !== undefined) {
    last.open = ended === null;
    last.reason = session.reason ?? '';
  }
  return pieces;
}

// How many slots were taken in each of `count` pieces of the time from..to: the most at any instant of it.
export function occupancy(sessions, fromMs, toMs, count, nowMs) {
  const width = (toMs - fromMs) / count;
  const changes = [];
  for (const session of sessions) {
    const start = at(session.granted_at), end = at(session.ended_at) ?? nowMs;
    if (start === null || end <= fromMs || start >= toMs) continue;
    changes.push([Math.max(start, fromMs), 1], [Math.min(end, toMs), -1]);
  }
  changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const most = [];
  let now = 0, next = 0;
  for (let i = 0; i < count; i++) {
    let top = now;
    for (; next < changes.length && changes[next][0] < fromMs + (i + 1) * width; next++) {
      now += changes[next][1];
      top = Math.max(top, now);
    }
    most.push(top);
  }
  return most;
}
