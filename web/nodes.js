// The machines: who waits for approval, who is there, and how another one joins.

import { isAdmin } from './api.js';
import { h, patch, setAttribute, setText } from './dom.js';
import { fleet, onChange } from './fleet.js';
import { actButton } from './hands.js';
import { collate, plural } from './words.js';

const APPROVALS = { approved: '', pending: 'waits for approval', denied: 'denied' };

function makeNode(node) {
  const view = { name: h('a', { href: `#/node/${encodeURIComponent(node.id)}` }), role: h('td'), venue: h('td'), seen: h('td'), status: h('td'), version: h('td'),
    approval: h('td'), acts: h('td.acts'), shown: '' };
  view.node = h('tr', {}, h('th', { scope: 'row' }, view.name), view.role, view.venue, view.seen, view.status, view.version, view.approval, isAdmin() ? view.acts : null);
  return view;
}

function updateNode(view, node) {
  setText(view.name, node.name ?? node.id);
  setText(view.role, node.roles.join(', ') + (node.kind ? ` (${node.kind})` : ''));
  setText(view.venue, [node.district, node.venue].filter((name) => name !== null).join(' / '));
  setText(view.seen, node.online ? 'online' : 'offline');
  setAttribute(view.seen, 'data-online', node.online ? 'yes' : 'no');
  setText(view.status, node.status ?? '');
  setText(view.version, node.body_version ?? node.version ?? '');
  setText(view.approval, APPROVALS[node.approval] ?? node.approval);
  setAttribute(view.node, 'data-approval', node.approval);
  if (view.shown !== node.approval && isAdmin()) {
    view.shown = node.approval;
    view.acts.replaceChildren(...(node.approval === 'approved' ? [actButton('deny', { nodeId: node.id })]
      : node.approval === 'denied' ? [actButton('approve', { nodeId: node.id })]
        : [actButton('approve', { nodeId: node.id }), actButton('deny', { nodeId: node.id })]));
  }
}

export function show(main) {
  const body = h('tbody'), sum = h('p.lead');
  const shown = new Map();
  let search = '';
  const field = h('input', { type: 'search', placeholder: 'Find a machine …', 'aria-label': 'Find a machine', oninput: (event) => { search = event.target.value.trim().toLowerCase(); draw(); } });
  const head = ['Name', 'Role', 'Place', 'Seen', 'Says', 'Version', 'Approval', ...(isAdmin() ? ['Hands'] : [])];
  main.append(h('h1', {}, 'Machines'), sum, h('div.tools', {}, field,
    isAdmin() ? h('a.button', { href: '/enroll', target: '_blank', rel: 'noopener' }, 'Enrol a new device …') : null),
  h('div.table', {}, h('table', {}, h('thead', {}, h('tr', {}, head.map((word) => h('th', { scope: 'col' }, word)))), body)));
  const order = { pending: 0, approved: 1, denied: 2 };
  function draw() {
    const all = [...fleet.nodes.values()];
    const list = all.filter((node) => search === '' || [node.name, node.id, node.venue, node.kind].some((word) => word?.toLowerCase().includes(search)))
      .sort((a, b) => order[a.approval] - order[b.approval] || collate(a.name ?? '', b.name ?? ''));
    patch(body, shown, list, (node) => node.id, makeNode, updateNode);
    const pending = all.filter((node) => node.approval === 'pending').length;
    setText(sum, `${plural(all.length, 'machine')}, ${all.filter((node) => node.online).length} online${pending > 0 ? `, ${pending} waiting for approval` : ''}.`);
  }
  draw();
  return onChange((change) => { if (change.nodes) draw(); });
}
