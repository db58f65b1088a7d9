// One machine's page: a body's report, slots, gate, epochs, pairing list and last sessions; a head's state, lease, place and sessions, and what
// a claim of its would get now, with every body's why-not.

import { get, isAdmin, serverNow } from './api.js';
import { h, replace, setText } from './dom.js';
import { fleet, onChange, rowAge, rows } from './fleet.js';
import { actButton, bodyActs } from './hands.js';
import { duration, endOf, headOf, ordinal, stateOf, text, texts } from './words.js';

const AGAIN_MS = 10000;
const SESSIONS = 20;
const ago = (instant) => instant === null || instant === undefined ? 'never' : `${duration((serverNow() - Date.parse(instant)) / 1000)} ago`;
const moment = (instant) => instant === null ? '–' : new Date(instant).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' });
const nameOf = (id) => id === null ? '–' : fleet.nodes.get(id)?.name ?? fleet.bodies.get(id)?.[0].body_name ?? id;
const linkTo = (id) => id === null || id === undefined ? '–' : h('a', { href: `#/node/${encodeURIComponent(id)}` }, nameOf(id));
const where = (id) => encodeURIComponent(id);
const maybe = (path) => get(path).catch((error) => { if (error.status === 404) return null; throw error; });

const facts = (list) => h('dl.facts', {}, list.filter(([, value]) => value !== null && value !== undefined && value !== '').map(([name, value]) =>
  h('div', {}, h('dt', {}, name), h('dd', {}, value))));

function table(head, rowsOf, nothing) {
  return rowsOf.length === 0 ? h('p.empty', {}, nothing) : h('div.table', {}, h('table', {}, h('thead', {}, h('tr', {}, head.map((word) => h('th', { scope: 'col' }, word)))),
    h('tbody', {}, rowsOf.map((cells) => h('tr', {}, cells.map((cell) => h('td', {}, cell)))))));
}

function sessionTable(sessions, other) {
  return table(['From', 'Streamed', 'Ended', other === 'head' ? 'Head' : 'Body', 'Experience', 'How it ended'], sessions.map((one) => [moment(one.granted_at),
    one.streaming_at === null ? 'never' : duration((Date.parse(one.ended_at ?? new Date(serverNow()).toISOString()) - Date.parse(one.streaming_at)) / 1000),
    one.ended_at === null ? 'not yet' : moment(one.ended_at), linkTo(other === 'head' ? one.head_id : one.body_id), one.experience ?? '–',
    `${one.state}${one.reason ? ` (${text(one.reason)})` : ''}`]), 'No session yet.');
}

// ---- a body ----

function slotCard(row) {
  const state = stateOf(row), seen = row.observed, later = rowAge(row);
  return h('article.slot-card', { 'data-kind': state.kind }, h('header', {}, h('span.word', {}, state.word), h('span', {}, `slot ${row.slot}`)), facts([
    ['Head', row.lease === null ? headOf(row, (head) => fleet.nodes.get(head)?.name) : linkTo(row.lease.head_id)], ['Experience', row.lease?.experience ?? null],
    ['Since', row.lease === null ? null : duration(row.lease.age_seconds + later)], ['Ends', endOf(row, later)],
    ['Why not free', texts(row.why_not)], ['Differs', texts(row.divergence)],
    ['Epoch', `${row.epoch}${seen?.applied_epoch === null || seen === null ? '' : `, applied ${seen.applied_epoch}`}`],
    ['Gate', seen?.gate?.mode ? `${seen.gate.mode}${seen.gate.reason ? ` (${seen.gate.reason})` : ''}` : 'not reported'],
    ['Report', seen === null || seen.age_seconds === null ? 'none' : `${duration(seen.age_seconds + later)} old, number ${seen.report_seq ?? '–'}`],
    ['Shows', seen === null ? null : [seen.state ?? seen.stream_status, seen.app, seen.client_name].filter(Boolean).join(' · ')],
    ['Boot', seen?.boot_id ?? null], ['Lease', row.lease?.id ?? null],
  ]), isAdmin() && row.lease !== null ? h('div.buttons', {}, actButton('release', { row }), actButton('revoke', { row })) : null);
}

function bodyFacts(node) {
  const body = node.body;
  return facts([['Circuit', body.circuit.replace('_', ' ')], ['Enforce', body.enforce], ['Maintenance', body.maintenance ? 'yes' : 'no'],
    ['Drains until', body.drain_deadline_at === null ? null : moment(body.drain_deadline_at)], ['Slots', String(body.slots_total)],
    ['Kept for its venue', String(body.home_venue_reserve)], ['Speaks', body.modern ? 'the new report' : 'the old report'], ['GPU', body.gpu],
    ['Agent', node.body_version], ['Pair epoch', String(body.pair_epoch)], ['Certificate', body.sunshine_cert_fp === null ? 'not known' : h('code', {}, body.sunshine_cert_fp)]]);
}

function pairingPart(pairing) {
  return h('section.part', {}, h('h2', {}, 'Pairing list'), facts([['List read', ago(pairing.custodian_last_success_at)], ['Custodian', pairing.custodian === null ? 'has not asked' : text(pairing.custodian)],
    ['Certificate changed', pairing.sunshine_cert_rotated_at === null ? null : ago(pairing.sunshine_cert_rotated_at)], ['Agent asked for work', ago(pairing.operations_polled_at)]]),
  table(['Client', 'Id', 'First seen'], pairing.clients.map((client) => [client.name ?? '–', h('code', {}, client.uuid), moment(client.first_seen)]), 'No client is known.'),
  pairing.evictions.length === 0 ? null : h('div', {}, h('h3', {}, 'Evicted'), table(['Client', 'Id', 'When'], pairing.evictions.map((one) => [one.name ?? '–', h('code', {}, one.uuid), moment(one.at)]), '')));
}

// ---- a head ----

function headPart(node, config, identity) {
  const ticket = fleet.queue.find((one) => one.head_id === node.id);
  const row = [...rows()].find((one) => one.lease?.head_id === node.id);
  return h('section.part', {}, h('h2', {}, 'As a head'), facts([
    ['Says', config?.status ?? node.status ?? 'nothing yet'], ['Last seen', ago(node.last_seen)],
    ['Has', row === undefined ? 'no slot' : h('span', {}, linkTo(row.body_id), ` slot ${row.slot}, ${stateOf(row).word.toLowerCase()}, ${endOf(row, rowAge(row))}`)],
    ['Waits', ticket === undefined ? null : `${ordinal(ticket.position)}, for ${duration(ticket.waited_seconds)}: ${text(ticket.reason)}`],
    ['Protocol', `${node.protocol_version}, pairing ${node.pairing_protocol}`],
    ['Identity', identity === null ? 'none registered' : identity.revoked_at !== null ? `revoked ${ago(identity.revoked_at)}` : `registered ${ago(identity.registered_at)}, shown by ${identity.shown_by.length} bodies`],
    ['Diagnostics', config?.diagnostics ? h('pre', {}, JSON.stringify(config.diagnostics, null, 1)) : null]]),
  row !== undefined && isAdmin() ? h('div.buttons', {}, actButton('release', { row }), actButton('revoke', { row })) : null);
}

function explainAnswer(answer) {
  const would = answer.would;
  const what = would.body_id !== null ? h('span', {}, 'It would get ', linkTo(would.body_id), ` slot ${would.slot}.`)
    : `It would be told ${would.status}${would.error ? ` ${text(would.error)}` : ''}${would.reason ? `: ${text(would.reason)}` : ''}${would.position ? `, ${ordinal(would.position)} in line` : ''}.`;
  return [h('p', {}, h('strong', {}, what)), table(['Rank', 'Body', 'Slot', 'Could be', 'Why not'], answer.candidates.map((one) => [one.rank === 0 || one.rank === null ? '–' : String(one.rank), linkTo(one.body_id), String(one.slot),
    one.grantable && one.eligible ? 'yes' : 'no', texts([...one.why_not, ...(one.demoted ? ['demoted'] : [])]) || '–']), 'No body is in its district.')];
}

function explainPart(node, experiences) {
  const out = h('div', { 'aria-live': 'polite' });
  const choices = [...new Set([...experiences.map((one) => one.name), ...[...rows()].map((row) => row.lease?.experience).filter(Boolean), ...fleet.queue.map((one) => one.experience)])];
  const field = h('input', { name: 'experience', list: 'experiences', required: true, value: fleet.queue.find((one) => one.head_id === node.id)?.experience ?? choices[0] ?? '' });
  const form = h('form.inline', { onsubmit: async (event) => {
    event.preventDefault();
    try { replace(out, explainAnswer(await get(`explain?head_id=${where(node.id)}&experience=${encodeURIComponent(field.value)}`))); }
    catch (error) { replace(out, h('p.message', {}, error.message)); }
  } }, h('label', {}, 'Experience ', field), h('datalist', { id: 'experiences' }, choices.map((name) => h('option', { value: name }))), h('button.primary', {}, 'Explain'));
  return h('section.part', {}, h('h2', {}, 'What would it get now?'), h('p.hint', {}, 'Changes nothing.'), form, out);
}

// ---- the view ----

async function ask(id) {
  const node = await get(`nodes/${where(id)}`);
  const isBody = node.roles.includes('body'), isHead = node.roles.includes('head');
  const [live, pairing, served, config, identity, held, experiences] = await Promise.all([get('sessions'), isBody ? maybe(`nodes/${where(id)}/pairing`) : null,
    isBody ? get(`sessions/history?body=${where(id)}&limit=${SESSIONS}`) : [], isHead ? maybe(`heads/${where(id)}`) : null, isHead ? maybe(`heads/${where(id)}/device-identity`) : null,
    isHead ? get(`sessions/history?head=${where(id)}&limit=${SESSIONS}`) : [], isHead ? get('experiences') : []]);
  const first = (list, key) => [...live.filter((one) => one[key] === id), ...list];
  return { node, isBody, isHead, pairing, served: first(served, 'body_id'), config, identity, held: first(held, 'head_id'), experiences };
}

export function show(main, id) {
  const title = h('h1', {}, nameOf(id)), sub = h('p.lead'), acts = h('div.buttons.acts'), problem = h('p.message', { role: 'alert' });
  const slots = h('div.slot-cards'), rest = h('div'), explain = h('div');
  main.append(title, sub, acts, problem, slots, rest, explain);
  let timer = null, ended = false, got = null, shownActs = '';

  function drawSlots() {
    replace(slots, (fleet.bodies.get(id) ?? []).map(slotCard));
    if (got === null || !isAdmin()) return;
    const approval = got.node.approval === 'approved' ? ['deny'] : got.node.approval === 'denied' ? ['approve'] : ['approve', 'deny'];
    const names = [...(got.isBody ? bodyActs(id) : []), ...approval];
    if (names.join() === shownActs) return;
    shownActs = names.join();
    replace(acts, names.map((name) => actButton(name, { bodyId: id, nodeId: id })));
  }
  async function draw() {
    clearTimeout(timer);
    try {
      const first = got === null;
      got = await ask(id);
      if (ended) return;
      const { node } = got;
      setText(problem, '');
      setText(title, node.name ?? node.id);
      setText(sub, `${node.roles.join(' and ')} in ${node.venue ?? 'no venue'}, ${node.district ?? 'no district'} · ${node.online ? 'online' : 'offline'}, seen ${ago(node.last_seen)} · ${node.approval} · ${node.id}`);
      replace(rest, got.isBody && node.body !== null ? h('section.part', {}, h('h2', {}, 'As a body'), bodyFacts(node)) : null, got.pairing === null ? null : pairingPart(got.pairing),
        got.isBody ? h('section.part', {}, h('h2', {}, 'Last sessions it served'), sessionTable(got.served, 'head')) : null, got.isHead ? headPart(node, got.config, got.identity) : null,
        got.isHead ? h('section.part', {}, h('h2', {}, 'Its last sessions'), sessionTable(got.held, 'body')) : null);
      if (first && got.isHead) replace(explain, explainPart(node, got.experiences));
      drawSlots();
    } catch (error) { setText(problem, error.message); }
    if (!ended) timer = setTimeout(draw, AGAIN_MS);
  }
  drawSlots();
  draw();
  const stop = onChange((change) => {
    if (change.bodies === null || change.bodies?.has(id)) drawSlots();
    if (change.nodes) draw();
  });
  return () => { ended = true; stop(); clearTimeout(timer); };
}
