// The page's pure parts: what a row is called, pieces of time, lines of the event stream.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLines } from '../../web/live.js';
import { occupancy, piecesOf, turnsOf } from '../../web/history.js';
import { belongs, duration, endOf, ordinal, stateOf } from '../../web/words.js';

const WHY_NOT = ['leased', 'no_report', 'stale_report', 'not_named', 'not_idle', 'xr', 'circuit_open', 'probe_out', 'offline', 'maintenance', 'epoch_unconfirmed',
  'promised', 'kept_for_older', 'pair_lease', 'safe_mode', 'no_ports', 'slot_lowered'];
const row = (more) => ({ body_id: 'b', slot: 0, occupied: true, grantable: false, why_not: [], lease: null, observed: null, divergence: [], venue: 'v', ...more });
const lease = (more) => ({ id: 'l', state: 'streaming', reason: null, mode: 'flat', head_id: 'h', head_name: 'head', head_venue: 'v', left_behind: false, age_seconds: 5,
  expires_in_seconds: null, start_deadline_in_seconds: null, unattended_seconds: 0, ...more });

test('state: only what is grantable is free', () => {
  assert.equal(stateOf(row({ occupied: false, grantable: true })).kind, 'free');
  for (const why of WHY_NOT) assert.notEqual(stateOf(row({ why_not: [why] })).kind, 'free', why);
  assert.notEqual(stateOf(row({})).kind, 'free');
  assert.notEqual(stateOf(row({ occupied: false })).kind, 'free');
});

test('state: what nobody knows is unknown', () => {
  for (const why of ['no_report', 'stale_report', 'offline', 'not_named']) assert.equal(stateOf(row({ why_not: [why] })).kind, 'unknown', why);
  assert.equal(stateOf(row({ lease: lease({ state: 'unknown' }) })).kind, 'unknown');
  assert.equal(stateOf(row({ lease: lease({ state: 'a_state_of_tomorrow' }) })).kind, 'unknown');
  assert.equal(stateOf(row({})).kind, 'unknown');
});

test('state: every lease state has a word of its own', () => {
  const words = ['held', 'granted', 'pairing', 'starting', 'streaming', 'draining', 'unknown'].map((state) => stateOf(row({ lease: lease({ state }) })).word);
  assert.equal(new Set(words).size, words.length);
});

test('end: says what ends it and counts down', () => {
  assert.equal(endOf(row({ lease: lease({}) }), 0), 'until the visitor leaves');
  assert.equal(endOf(row({ lease: lease({ state: 'held', start_deadline_in_seconds: 200 }) }), 80), 'must stream within 2 min');
  assert.equal(endOf(row({ lease: lease({ state: 'draining', expires_in_seconds: 40 }) }), 10), 'at most 30 s more');
  assert.equal(endOf(row({ lease: lease({ unattended_seconds: 60, expires_in_seconds: 1740 }) }), 0), 'nobody there for 1 min; ends in 29 min');
});

test('home and guest are told apart, and neither is guessed', () => {
  assert.equal(belongs(row({ lease: lease({}) })), 'home');
  assert.equal(belongs(row({ lease: lease({ head_venue: 'w' }) })), 'guest');
  assert.equal(belongs(row({ lease: lease({ head_venue: null }) })), '');
  assert.equal(belongs(row({})), '');
});

test('words: durations and places', () => {
  assert.deepEqual([0, 59.9, 60, 3600, 90000].map(duration), ['0 s', '59 s', '1 min', '1 h 0 min', '1 d 1 h']);
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal), ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th']);
});

const instant = (minutes) => new Date(minutes * 60000).toISOString();
const session = (more) => ({ lease_id: 'l', source: 'implicit', mode: 'flat', granted_at: instant(0), streaming_at: instant(2), ended_at: instant(10), state: 'ended', reason: 'released', ...more });
const shape = (pieces) => pieces.map((piece) => [piece.kind, piece.from / 60000, piece.to / 60000]);

test('timeline: a session in pieces, the last with its reason', () => {
  const turns = turnsOf([{ type: 'lease_unknown', lease_id: 'l', at: instant(4) }, { type: 'lease_streaming', lease_id: 'l', at: instant(5) },
    { type: 'lease_draining', lease_id: 'l', at: instant(9) }, { type: 'queued', at: instant(1) }, { type: 'lease_draining', lease_id: 'other', at: instant(1) }]);
  const pieces = piecesOf(session({}), turns, 0);
  assert.deepEqual(shape(pieces), [['held', 0, 2], ['streaming', 2, 4], ['unknown', 4, 5], ['streaming', 5, 9], ['draining', 9, 10]]);
  assert.equal(pieces.at(-1).reason, 'released');
  assert.deepEqual(shape(piecesOf(session({ ended_at: null, state: 'streaming' }), new Map(), 20 * 60000)), [['held', 0, 2], ['streaming', 2, 20]]);
  assert.deepEqual(shape(piecesOf(session({ source: 'adopted', streaming_at: null, ended_at: null, state: 'adopted' }), new Map(), 60000)), [['streaming', 0, 1]]);
  assert.deepEqual(shape(piecesOf(session({ streaming_at: null, ended_at: null, state: 'pairing' }), new Map(), 60000)), [['pairing', 0, 1]]);
});

test('occupancy: the most at any instant of each piece', () => {
  const list = [session({}), session({ granted_at: instant(5), ended_at: instant(6) }), session({ granted_at: instant(10), ended_at: null }), session({ granted_at: instant(90), ended_at: null })];
  assert.deepEqual(occupancy(list, 0, 20 * 60000, 4, 15 * 60000), [1, 2, 1, 1]);
  assert.deepEqual(occupancy([], 0, 10, 3, 10), [0, 0, 0]);
});

test('events: pieces of any size make the same events', () => {
  const text = ': still here\n\nid: 1-1\nevent: queued\ndata: {"type":"queued"}\n\nid: 1-2\nevent: promoted\ndata: {"type":"promoted","detail":"a\\n\\nb"}\n\n';
  for (const size of [1, 2, 7, 1000]) {
    const lines = new EventLines(), got = [];
    for (let at = 0; at < text.length; at += size) got.push(...lines.feed(text.slice(at, at + size)));
    assert.deepEqual(got, [{ id: '1-1', type: 'queued' }, { id: '1-2', type: 'promoted', detail: 'a\n\nb' }]);
  }
});
