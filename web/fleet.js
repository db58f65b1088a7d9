// What the page knows of the cluster, kept fresh: events say which body to ask about again, and all is asked anew every few seconds,
// because ages and missing reports make no events. Nothing is kept but the newest answer.

import { get } from './api.js';
import { follow } from './live.js';

const GATHER_MS = 30;             // events that come together are one question
const BODIES_AT_ONCE = 12;        // more bodies than that: ask for all
const ALL_EVERY_MS = 5000;
const ALL_SHARE = 10;             // asking for all takes at most a tenth of the time
const STORM_SHARE = 3;            // or a third, while more changes than can be asked about one by one
const STORM_MS = 250;
const NODES_EVERY_MS = 60000;
const NODES_GATHER_MS = 500;

export const fleet = {
  bodies: new Map(),              // body_id -> rows of /slots, in order
  queue: [],
  nodes: new Map(),               // node id -> record
  health: null,
  districts: new Map(),           // name -> record, with its safe mode
  askedAt: new Map(),             // body_id -> performance.now() of its rows
  queueAt: 0,
  connection: 'connecting',       // 'live', 'lost', 'busy'
  lostAt: 0,
  ready: false,
};

const listeners = new Set();
// fn({bodies: Set of ids or null for all, queue, nodes, connection}); gives back a function that ends it.
export function onChange(fn) {
  listeners.add(fn);
  return () => listeners.delete(fn);
}
function tell(change) {
  for (const fn of [...listeners]) fn(change);
}
const eventListeners = new Set();
export function onEvent(fn) {
  eventListeners.add(fn);
  return () => eventListeners.delete(fn);
}

export const rowAge = (row) => (performance.now() - (fleet.askedAt.get(row.body_id) ?? performance.now())) / 1000;
export const queueAge = () => (performance.now() - fleet.queueAt) / 1000;
export const nameOf = (id) => fleet.nodes.get(id)?.name;
export function* rows() {
  for (const list of fleet.bodies.values()) yield* list;
}

// An answer that was asked for earlier than what stands there comes too late.
function setBody(id, list, at) {
  if ((fleet.askedAt.get(id) ?? 0) > at) return;
  if (list.length === 0) fleet.bodies.delete(id);
  else fleet.bodies.set(id, list);
  fleet.askedAt.set(id, at);
}

// ---- asking ----

let dirty = new Set();
let gathering = null;
let askingDirty = false;
let askingAll = false;
let allWanted = true, allSoon = false;
let allTook = 0;
let allTimer = null;

async function askBodies(ids) {
  const at = performance.now();
  await Promise.all(ids.map(async (id) => setBody(id, await get(`slots?body=${encodeURIComponent(id)}`), at)));
  tell({ bodies: new Set(ids) });
}

async function askQueue() {
  const at = performance.now(), list = await get('queue');
  if (at < fleet.queueAt) return;
  fleet.queue = list;
  fleet.queueAt = at;
  tell({ queue: true });
}

async function askDistricts() {
  const names = new Set([...rows()].map((row) => row.district).filter((name) => name !== null));
  const answers = await Promise.all([...names].map((name) => get(`districts/${encodeURIComponent(name)}`).catch(() => null)));
  fleet.districts = new Map(answers.filter((answer) => answer !== null).map((answer) => [answer.district, answer]));
}

async function askAll() {
  if (askingAll) { allWanted = true; return; }
  askingAll = true;
  allWanted = allSoon = false;
  clearTimeout(allTimer);
  const at = performance.now();
  try {
    dirty.clear();
    const others = Promise.all([get('health'), askQueue()]);
    others.catch(() => {});          // said below, where it is waited for
    const byBody = group(await get('slots'));
    for (const id of [...fleet.bodies.keys()]) if (!byBody.has(id)) { fleet.bodies.delete(id); fleet.askedAt.delete(id); }
    for (const [id, mine] of byBody) setBody(id, mine, at);
    fleet.ready = true;
    tell({ bodies: null });
    [fleet.health] = await others;
    await askDistricts();
    tell({});
  } catch { /* the stream of events says when nobody answers; the next turn asks again */ }
  allTook = performance.now() - at;
  askingAll = false;
  allSoon = allWanted;
  allTimer = setTimeout(askAll, allSoon ? Math.max(STORM_MS, allTook * (STORM_SHARE - 1)) : Math.max(ALL_EVERY_MS, allTook * ALL_SHARE));
}

function group(list) {
  const map = new Map();
  for (const row of list) {
    const mine = map.get(row.body_id);
    if (mine === undefined) map.set(row.body_id, [row]);
    else mine.push(row);
  }
  return map;
}

// One question at a time: what comes meanwhile is the next one.
function gather() {
  if (!askingDirty) gathering ??= setTimeout(askDirty, GATHER_MS);
}
async function askDirty() {
  gathering = null;
  const ids = [...dirty];
  dirty = new Set();
  if (ids.length > BODIES_AT_ONCE || !fleet.ready) {
    if (!allSoon) askAll();
    return;
  }
  askingDirty = true;
  try { await Promise.all([askBodies(ids), askQueue()]); } catch { allWanted = true; }
  askingDirty = false;
  if (dirty.size > 0) gather();
}

let nodesTimer = null, askingNodes = false, nodesWanted = false;
function nodesIn(ms) {
  clearTimeout(nodesTimer);
  nodesTimer = setTimeout(askNodes, ms);
}
async function askNodes() {
  if (askingNodes) { nodesWanted = true; return; }
  askingNodes = true;
  nodesWanted = false;
  const at = performance.now();
  try {
    const list = await get('nodes');
    fleet.nodes = new Map(list.map((node) => [node.id, node]));
    tell({ nodes: true });
  } catch { /* asked again soon */ }
  askingNodes = false;
  nodesIn(nodesWanted ? Math.max(NODES_GATHER_MS, (performance.now() - at) * ALL_SHARE) : NODES_EVERY_MS);
  nodesSoon = nodesWanted;
}

// Soon, however many ask for it meanwhile.
let nodesSoon = false;
function nodesChanged() {
  if (askingNodes) nodesWanted = true;
  else if (!nodesSoon) { nodesSoon = true; nodesIn(NODES_GATHER_MS); }
}

// Somebody used a hand: what it touched is asked about at once, not when its event comes.
export function touched(bodyId) {
  if (bodyId !== null) dirty.add(bodyId);
  gather();
  if (askingNodes) nodesWanted = true;
  else nodesIn(GATHER_MS);
}

function take(event) {
  if (event.body_id) dirty.add(event.body_id);
  gather();
  if (/^(node_|drain_|circuit_|safe_mode_|identity_|per_device_)/.test(event.type)) {
    nodesChanged();
    if (event.type.startsWith('safe_mode_')) askAll();
  }
  for (const fn of [...eventListeners]) fn(event);
}

function connectionIs(state) {
  const before = fleet.connection;
  if (state === before) return;
  fleet.connection = state;
  if (state === 'lost') fleet.lostAt = performance.now();
  if (state === 'live') { askAll(); askNodes(); }
  tell({ connection: state, before });
}

export function start() {
  askAll();                       // at once; and again when the stream has begun, for what happened between
  follow(take, connectionIs);
}
