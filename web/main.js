// The frame around the views: navigation, connection, banners, what changed for those who listen.

import { announce, h, replace, setAttribute, setText } from './dom.js';
import { fleet, nameOf, onChange, rows, start } from './fleet.js';
import * as board from './board.js';
import * as capacity from './capacity.js';
import * as node from './node.js';
import * as nodes from './nodes.js';
import * as queue from './queue.js';
import * as timeline from './timeline.js';
import { act, hands } from './hands.js';
import { isAdmin } from './api.js';
import { duration, headOf, text } from './words.js';

const BANNERS_MAX = 6;

// path of the hash -> view. A view has title, show(main, argument), which gives back a function that ends it.
const VIEWS = [
  { path: '', name: 'Board', view: board }, { path: 'queue', name: 'Queue', view: queue }, { path: 'timeline', name: 'Timeline', view: timeline },
  { path: 'capacity', name: 'Capacity', view: capacity }, { path: 'nodes', name: 'Machines', view: nodes }, { path: 'node', view: node },
];

// ---- navigation ----

const content = document.getElementById('content');
const links = new Map();
let end = null;

function makeNav() {
  for (const { path, name } of VIEWS.filter((entry) => entry.name !== undefined)) {
    const count = h('span.count', {});
    const link = h('a', { href: `#/${path}` }, name, count);
    links.set(path, { link, count });
    document.getElementById('nav').append(link);
  }
}

function go() {
  const [path, ...rest] = location.hash.replace(/^#\/?/, '').split('/');
  const entry = VIEWS.find((candidate) => candidate.path === path) ?? VIEWS[0];
  end?.();
  replace(content);
  for (const [name, { link }] of links) setAttribute(link, 'aria-current', name === entry.path ? 'page' : null);
  document.title = `${entry.name ?? 'Machine'} · hydracluster`;
  end = entry.view.show(content, decodeURIComponent(rest.join('/')));
  window.scrollTo(0, 0);
}

function showCounts() {
  setText(links.get('queue').count, fleet.queue.length > 0 ? String(fleet.queue.length) : '');
  setAttribute(links.get('queue').count, 'aria-label', fleet.queue.length > 0 ? `${fleet.queue.length} wait` : null);
  const pending = [...fleet.nodes.values()].filter((one) => one.approval === 'pending').length;
  setText(links.get('nodes').count, pending > 0 ? String(pending) : '');
  setAttribute(links.get('nodes').count, 'aria-label', pending > 0 ? `${pending} wait for approval` : null);
}

// ---- connection ----

const CONNECTION = {
  connecting: ['Connecting', ''], live: ['Live', ''],
  lost: ['Connection lost', 'What stands here may be old. Trying again …'],
  busy: ['Not live', 'Too many pages follow the events. This one asks every few seconds.'],
};

function showConnection() {
  const pill = document.getElementById('connection');
  const [word, title] = CONNECTION[fleet.connection];
  setText(pill, word);
  setAttribute(pill, 'data-state', fleet.connection);
  setAttribute(pill, 'title', title || null);
  document.body.classList.toggle('stale', fleet.connection === 'lost');
}

// ---- banners ----

function jumpTo(row) {
  const there = document.querySelector(`[data-body="${CSS.escape(row.body_id)}"]`);
  if (there === null) { location.hash = `#/node/${encodeURIComponent(row.body_id)}`; return; }
  there.scrollIntoView({ block: 'center' });
  there.querySelector('a')?.focus();
}

function divergenceBanner(row) {
  const where = `${row.body_name ?? row.body_id}, slot ${row.slot}`;
  const who = headOf(row, nameOf);
  return h('div.banner.divergence', {},
    h('strong', {}, row.divergence.map(text).join(' · ')),
    h('span', {}, where, who === '' ? '' : ` · ${who}`, ' '),
    h('code', {}, row.divergence.join(', ')),
    h('button.quiet', { onclick: () => jumpTo(row) }, 'Show'),
    isAdmin() ? h('button.quiet', { onclick: () => hands(row) }, 'Act') : null);
}

function safeModeBanner(district) {
  const waits = district.awaited.length > 0 ? ` Waits for ${district.awaited.map((id) => fleet.nodes.get(id)?.name ?? id).join(', ')}.` : '';
  const means = district.safe_mode === 'boot' ? 'The daemon has just started: it waits until the bodies have reported.'
    : 'An older program wrote our files: nothing is granted until all bodies have reported, or somebody ends it.';
  return h('div.banner.warning', {}, h('strong', {}, `Safe mode in ${district.district}`), h('span', {}, means + waits),
    isAdmin() ? h('button.quiet', { onclick: () => act('safe-mode', { district: district.district }) }, 'End it') : null);
}

function collectBanners() {
  const list = [];
  if (fleet.connection === 'lost')
    list.push({ key: 'lost', say: 'Connection lost. Trying again.', node: () => h('div.banner.warning', {},
      h('strong', {}, 'Connection lost'), h('span', {}, 'What stands here is as it was ', h('span', { id: 'lost-for' }, '0 s'), ' ago. Trying again …')) });
  if (fleet.health !== null && fleet.health.status !== 'ok')
    list.push({ key: `health ${JSON.stringify(fleet.health.dependencies)}`, say: 'The daemon cannot save.', node: () => h('div.banner.divergence', {},
      h('strong', {}, 'The daemon is degraded'),
      h('span', {}, Object.entries(fleet.health.dependencies).map(([name, state]) => `${name}: ${state}`).join(', '), '. Nothing is granted while the store is down.')) });
  for (const district of fleet.districts.values())
    if (district.safe_mode !== 'none')
      list.push({ key: `safe ${JSON.stringify(district)}`, say: `Safe mode in ${district.district}.`, node: () => safeModeBanner(district) });
  const divergent = [...rows()].filter((row) => row.divergence.length > 0);
  for (const row of divergent.slice(0, BANNERS_MAX))
    list.push({ key: JSON.stringify(['row', row.body_id, row.slot, row.divergence, headOf(row, nameOf)]), node: () => divergenceBanner(row),
      say: `${row.divergence.map(text).join(', ')}: ${row.body_name ?? row.body_id}, slot ${row.slot}.` });
  if (divergent.length > BANNERS_MAX)
    list.push({ key: `more ${divergent.length}`, say: '', node: () => h('div.banner.divergence', {},
      h('strong', {}, `${divergent.length - BANNERS_MAX} more rows differ`), h('a', { href: '#/?attention' }, 'Show them on the board')) });
  return list;
}

let shownBanners = '';
let saidBanners = new Set();
function showBanners() {
  const list = collectBanners();
  const keys = list.map((banner) => banner.key).join('\n');
  if (keys !== shownBanners) {
    shownBanners = keys;
    replace(document.getElementById('banners'), list.map((banner) => banner.node()));
    const fresh = list.filter((banner) => banner.say !== '' && !saidBanners.has(banner.key)).map((banner) => banner.say);
    if (fresh.length > 0) announce(fresh.join(' '));
    saidBanners = new Set(list.map((banner) => banner.key));
  }
  const lostFor = document.getElementById('lost-for');
  if (lostFor !== null) setText(lostFor, duration((performance.now() - fleet.lostAt) / 1000));
}

// ---- together ----

makeNav();
onChange((change) => {
  showConnection();
  showCounts();
  showBanners();
  if (change.connection === 'live' && change.before === 'lost') announce('Connected again.');
});
setInterval(showBanners, 1000);
window.addEventListener('hashchange', () => { go(); content.focus({ preventScroll: true }); });
go();
start();
