// The operator's hands: first a preview of whom it touches, then the act, then an undo where there is one.

import { call } from './api.js';
import { announce, h, replace } from './dom.js';
import { fleet, nameOf, rows, touched } from './fleet.js';
import { headOf, plural, stateOf } from './words.js';

const TOAST_MS = 60000;
const MINUTES_DEFAULT = 10;
const path = (kind, id, rest = '') => `${kind}/${encodeURIComponent(id)}${rest}`;

// ---- what a hand touches ----

const bodyName = (id) => fleet.bodies.get(id)?.[0].body_name ?? fleet.nodes.get(id)?.name ?? id;
const nodeName = (id) => fleet.nodes.get(id)?.name ?? bodyName(id);
const leasedRows = (id) => (fleet.bodies.get(id) ?? []).filter((row) => row.lease !== null);
const served = (row) => h('li', {}, h('strong', {}, headOf(row, nameOf)), ` · ${stateOf(row).word.toLowerCase()} · ${row.lease.experience} · slot ${row.slot} of ${
  row.body_name ?? row.body_id}`);

function people(list, nobody) {
  return list.length === 0 ? h('p.nobody', {}, nobody) : h('div', {}, h('p', {}, `This touches ${plural(list.length, 'visitor')}:`), h('ul.touched', {}, list));
}

async function drainPreview({ bodyId }) {
  const { leases, tickets } = (await call('POST', path('nodes', bodyId, '/drain?dry_run=1'), {})).value;
  const byLease = new Map([...rows()].filter((row) => row.lease !== null).map((row) => [row.lease.id, row]));
  const byTicket = new Map(fleet.queue.map((ticket) => [ticket.ticket_id, ticket]));
  const waiting = tickets.map((id) => h('li', {}, h('strong', {}, byTicket.get(id)?.head_name ?? id), ' · waits, and could not use this body any more'));
  return [people([...leases.map((id) => byLease.has(id) ? served(byLease.get(id)) : h('li', {}, id)), ...waiting],
    'Nobody uses it, and nobody in the queue waits for it.'),
  h('p', {}, 'Nobody new is given this body. Who streams may go on until the deadline, then the picture ends.')];
}

const minutesField = () => h('label.field', {}, 'Deadline in minutes',
  h('input', { name: 'minutes', type: 'number', min: '0', max: '1440', step: '1', value: String(MINUTES_DEFAULT), required: true }));
const reasonField = () => h('label.field', {}, 'Why (stands in the history)', h('input', { name: 'reason', type: 'text', maxlength: '128', value: '' }));

const reasonOf = (form) => form.get('reason') === '' ? {} : { reason: form.get('reason') };

// Each: title(target), preview(target) -> what the dialog shows, fields() -> inputs, run(target, form), done(target), undo(target), danger.
const ACTS = {
  drain: {
    title: ({ bodyId }) => `Drain ${bodyName(bodyId)}`, button: 'Drain', preview: drainPreview, fields: () => [minutesField()],
    run: ({ bodyId }, form) => call('POST', path('nodes', bodyId, '/drain'), { deadline_seconds: Number(form.get('minutes')) * 60 }),
    done: ({ bodyId }) => `${bodyName(bodyId)} drains.`,
    undo: ({ bodyId }) => call('DELETE', path('nodes', bodyId, '/drain')), undone: ({ bodyId }) => `${bodyName(bodyId)} does not drain any more.`,
  },
  undrain: {
    title: ({ bodyId }) => `End the drain of ${bodyName(bodyId)}`, button: 'End the drain',
    preview: () => [h('p', {}, 'It is given to visitors again. Who streams there goes on.')],
    run: ({ bodyId }) => call('DELETE', path('nodes', bodyId, '/drain')), done: ({ bodyId }) => `${bodyName(bodyId)} does not drain any more.`,
  },
  maintenance: {
    title: ({ bodyId }) => `Maintenance on ${bodyName(bodyId)}`, button: 'Into maintenance',
    preview: ({ bodyId }) => [people(leasedRows(bodyId).map(served), 'Nobody uses it.'), h('p', {}, 'Nobody new is given this body. Who streams there goes on, without a deadline.')],
    run: ({ bodyId }) => call('PUT', path('nodes', bodyId, '/slots'), { maintenance: true }), done: ({ bodyId }) => `${bodyName(bodyId)} is in maintenance.`,
    undo: ({ bodyId }) => call('PUT', path('nodes', bodyId, '/slots'), { maintenance: false }), undone: ({ bodyId }) => `${bodyName(bodyId)} is out of maintenance.`,
  },
  'maintenance-end': {
    title: ({ bodyId }) => `End maintenance on ${bodyName(bodyId)}`, button: 'End maintenance', preview: () => [h('p', {}, 'It is given to visitors again as soon as it reports.')],
    run: ({ bodyId }) => call('PUT', path('nodes', bodyId, '/slots'), { maintenance: false }), done: ({ bodyId }) => `${bodyName(bodyId)} is out of maintenance.`,
    undo: ({ bodyId }) => call('PUT', path('nodes', bodyId, '/slots'), { maintenance: true }), undone: ({ bodyId }) => `${bodyName(bodyId)} is in maintenance.`,
  },
  release: {
    title: ({ row }) => `Release slot ${row.slot} of ${row.body_name ?? row.body_id}`, button: 'Release', danger: true,
    preview: ({ row }) => [people([served(row)], ''), h('p', {}, 'The visit ends as if the visitor had left: the body is told to end the picture, the slot is free when the body says so. There is no undo.')],
    fields: () => [reasonField()],
    run: ({ row }, form) => call('POST', path('leases', row.lease.id, '/release'), reasonOf(form)), done: ({ row }) => `${headOf(row, nameOf)} was released.`,
  },
  revoke: {
    title: ({ row }) => `Revoke slot ${row.slot} of ${row.body_name ?? row.body_id}`, button: 'Revoke', danger: true,
    preview: ({ row }) => [people([served(row)], ''), h('p', {}, 'The lease ends at once, whatever runs. If the picture goes on, it is shown as unauthorized until it ends. There is no undo.')],
    fields: () => [reasonField()],
    run: ({ row }, form) => call('POST', path('leases', row.lease.id, '/revoke'), reasonOf(form)), done: ({ row }) => `The lease of ${headOf(row, nameOf)} was revoked.`,
  },
  circuit: {
    title: ({ bodyId }) => `Close the circuit of ${bodyName(bodyId)}`, button: 'Close the circuit',
    preview: ({ bodyId }) => [people(leasedRows(bodyId).map(served), 'Nobody uses it.'), h('p', {}, 'Its failures are forgotten and it is given to visitors again. If it still fails, the circuit opens again after three of them. There is no undo.')],
    run: ({ bodyId }) => call('POST', path('nodes', bodyId, '/circuit/reset')), done: ({ bodyId }) => `The circuit of ${bodyName(bodyId)} is closed.`,
  },
  enforce: {
    title: ({ bodyId }) => `Enforce on ${bodyName(bodyId)}`, button: 'Enforce',
    preview: ({ bodyId }) => [people(leasedRows(bodyId).map(served), 'Nobody uses it.'), h('p', {}, 'From now on the body refuses launches that have no lease, and the client gate lets in the leased head alone where Sunshine can do that.')],
    run: ({ bodyId, force }) => call('PUT', path('nodes', bodyId, `/slots${force ? '?force=1' : ''}`), { enforce: 'enforce' }), done: ({ bodyId }) => `${bodyName(bodyId)} enforces.`,
    force: { word: 'enforce_not_ready', button: 'Enforce all the same' },
    undo: ({ bodyId }) => call('PUT', path('nodes', bodyId, '/slots'), { enforce: 'observe' }), undone: ({ bodyId }) => `${bodyName(bodyId)} only observes.`,
  },
  observe: {
    title: ({ bodyId }) => `Only observe on ${bodyName(bodyId)}`, button: 'Only observe',
    preview: () => [h('p', {}, 'The body refuses nothing any more: it reports what it would have refused.')],
    run: ({ bodyId }) => call('PUT', path('nodes', bodyId, '/slots'), { enforce: 'observe' }), done: ({ bodyId }) => `${bodyName(bodyId)} only observes.`,
    undo: ({ bodyId }) => call('PUT', path('nodes', bodyId, '/slots?force=1'), { enforce: 'enforce' }), undone: ({ bodyId }) => `${bodyName(bodyId)} enforces.`,
  },
  'safe-mode': {
    title: ({ district }) => `End safe mode in ${district}`, button: 'End safe mode', danger: true,
    preview: ({ district }) => [h('p', {}, `${plural((fleet.districts.get(district)?.awaited ?? []).length, 'body', 'bodies')} not heard yet: ${
      (fleet.districts.get(district)?.awaited ?? []).map(bodyName).join(', ') || 'none'}.`),
    h('p', {}, 'Slots are granted at once. What a body shows that has not reported is not known: look at its screen first. There is no undo.')],
    run: ({ district }) => call('POST', 'safe-mode/end', { district }), done: ({ district }) => `Safe mode in ${district} is over.`,
  },
  approve: {
    title: ({ nodeId }) => `Approve ${nodeName(nodeId)}`, button: 'Approve', preview: () => [h('p', {}, 'It takes part from now on, with the token that it has.')],
    run: ({ nodeId }) => call('PUT', path('nodes', nodeId), { approval: 'approved' }), done: ({ nodeId }) => `${nodeName(nodeId)} is approved.`,
    undo: ({ nodeId }) => call('PUT', path('nodes', nodeId), { approval: 'denied' }), undone: ({ nodeId }) => `${nodeName(nodeId)} is denied.`,
  },
  deny: {
    title: ({ nodeId }) => `Deny ${nodeName(nodeId)}`, button: 'Deny', danger: true,
    preview: ({ nodeId }) => [people([...rows()].filter((row) => row.lease !== null && (row.lease.head_id === nodeId || row.body_id === nodeId)).map(served), 'It holds and serves nobody.'),
      h('p', {}, 'Its token is refused everywhere, its leases end, its clients are removed from every body while it is denied.')],
    run: ({ nodeId }) => call('PUT', path('nodes', nodeId), { approval: 'denied' }), done: ({ nodeId }) => `${nodeName(nodeId)} is denied.`,
    undo: ({ nodeId }) => call('PUT', path('nodes', nodeId), { approval: 'approved' }), undone: ({ nodeId }) => `${nodeName(nodeId)} is approved. Visits that ended stay ended.`,
  },
};

// ---- dialogs ----

function dialog(title, ...children) {
  const box = h('dialog', { 'aria-labelledby': 'dialog-title' }, h('h2', { id: 'dialog-title' }, title), children);
  box.addEventListener('close', () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}

function toast(text, undo) {
  const close = () => { clearTimeout(timer); node.remove(); };
  const node = h('div.toast', {}, h('span', {}, text), undo === null ? null : h('button', { onclick: () => { close(); undo(); } }, 'Undo'),
    h('button.quiet', { 'aria-label': 'Close', onclick: close }, '✕'));
  const timer = setTimeout(close, TOAST_MS);
  document.getElementById('toasts').append(node);
  announce(undo === null ? text : `${text} There is an undo.`);
}

const bodyOf = (target) => target.bodyId ?? target.row?.body_id ?? null;

async function undoIt(one, target) {
  try {
    await one.undo(target);
    toast(one.undone(target), null);
  } catch (error) {
    toast(`The undo did not work: ${error.message}`, null);
  }
  touched(bodyOf(target));
}

// The preview of one hand; it acts when the button is pressed.
export function act(name, target) {
  const one = ACTS[name];
  const preview = h('div.preview', {}, h('p', {}, 'Looking whom it touches …')), problem = h('p.message', { role: 'alert' });
  const button = h(`button${one.danger ? '.danger' : '.primary'}`, { type: 'submit', disabled: true }, one.button);
  const form = h('form', { method: 'dialog' }, preview, one.fields?.() ?? [], problem,
    h('div.buttons', {}, h('button', { type: 'button', onclick: () => box.close() }, 'Cancel'), button));
  const box = dialog(one.title(target), form);

  async function run(aim) {
    button.disabled = true;
    replace(problem);
    try {
      await one.run(aim, new FormData(form));
      box.close();
      toast(one.done(aim), one.undo === undefined ? null : () => undoIt(one, aim));
      touched(bodyOf(aim));
    } catch (error) {
      button.disabled = false;
      const force = one.force !== undefined && error.word === one.force.word
        ? h('button.danger', { type: 'button', onclick: () => run({ ...target, force: true }) }, one.force.button) : null;
      replace(problem, error.message, ' ', force);
    }
  }
  form.addEventListener('submit', (event) => { event.preventDefault(); run(target); });
  Promise.resolve().then(() => one.preview(target)).then((shown) => {
    replace(preview, shown);
    button.disabled = false;
    if (one.danger !== true) button.focus();
  }, (error) => replace(preview, h('p.message', {}, error.message)));
}

export const actButton = (name, target) => h(`button${ACTS[name].danger ? '.danger' : ''}`, { 'data-act': name, onclick: () => act(name, target) }, ACTS[name].button);

// What can be done with a body, by what it is now.
export function bodyActs(bodyId) {
  const settings = fleet.nodes.get(bodyId)?.body ?? null;
  const list = fleet.bodies.get(bodyId) ?? [];
  const drains = settings?.drain_deadline_at !== null && settings !== null;
  const closed = settings?.maintenance ?? list.some((row) => row.why_not.includes('maintenance'));
  return [drains ? 'undrain' : 'drain', ...(drains ? [] : [closed ? 'maintenance-end' : 'maintenance']),
    ...(settings !== null && settings.circuit !== 'closed' ? ['circuit'] : []), ...(settings === null ? [] : [settings.enforce === 'enforce' ? 'observe' : 'enforce'])];
}

// All hands for one row of the board.
export function hands(row) {
  const pick = (name, target) => h(`button${ACTS[name].danger ? '.danger' : ''}`, { 'data-act': name, onclick: () => { box.close(); act(name, target); } }, ACTS[name].button);
  const lease = row.lease === null ? null : h('section', {}, h('h3', {}, `${headOf(row, nameOf)}, slot ${row.slot}`),
    h('div.buttons', {}, pick('release', { row }), pick('revoke', { row }),
      row.lease.head_id === null ? null : h('a.button', { href: `#/node/${encodeURIComponent(row.lease.head_id)}`, onclick: () => box.close() }, 'Its page')));
  const body = h('section', {}, h('h3', {}, 'The whole body'),
    h('div.buttons', {}, bodyActs(row.body_id).map((name) => pick(name, { bodyId: row.body_id })),
      h('a.button', { href: `#/node/${encodeURIComponent(row.body_id)}`, onclick: () => box.close() }, 'Its page')));
  const box = dialog(`${row.body_name ?? row.body_id}`, lease, body,
    h('div.buttons.last', {}, h('button', { onclick: () => box.close() }, 'Close')));
}
