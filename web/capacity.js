// Capacity: who was turned away and why, how long people waited, how full the day was.

import { get, getPages, serverNow } from './api.js';
import { h, replace, setText } from './dom.js';
import { fleet } from './fleet.js';
import { occupancy } from './history.js';
import { duration, plural, text, timeOfDay } from './words.js';

const DAY_MS = 24 * 3600 * 1000;
const PIECES = 96;                    // quarters of an hour
const PAGES_MAX = 10;
const AGAIN_MS = 15000;

const seconds = (value) => value === null ? '–' : duration(value);

function table(caption, head, rows) {
  return h('div.table', {}, h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, head.map((word) => h('th', { scope: 'col' }, word)))),
    h('tbody', {}, rows.length === 0 ? h('tr', {}, h('td', { colspan: head.length }, 'none')) : rows.map(([name, ...cells]) =>
      h('tr', {}, h('th', { scope: 'row' }, name), cells.map((cell) => h('td', {}, cell)))))));
}

function bars(caption, counts, nothing) {
  const rows = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...rows.map(([, count]) => count));
  const bar = (count) => { const node = h('span.bar'); node.style.width = `${count / most * 100}%`; return node; };
  return h('section.denials', {}, h('h3', {}, caption), rows.length === 0 ? h('p.empty', {}, nothing) :
    h('ul.bars', {}, rows.map(([name, count]) => h('li', {}, h('span.bar-name', {}, text(name)), bar(count), h('strong', {}, String(count))))));
}

function numbers(allocation) {
  const sum = (key) => allocation.pools.reduce((total, pool) => total + pool[key], 0);
  const turned = Object.values(allocation.denials_last_hour.by_reason).reduce((total, count) => total + count, 0);
  const tile = (value, word) => h('div.tile', {}, h('strong', {}, String(value)), h('span', {}, word));
  return h('div.tiles', {}, tile(sum('slots'), 'slots'), tile(sum('occupied'), 'occupied'), tile(sum('grantable'), 'free to give'),
    tile(fleet.queue.length, 'waiting'), tile(turned, 'turned away in the last hour'));
}

function dayChart(day) {
  const most = Math.max(1, day.slots, ...day.counts);
  const columns = day.counts.map((count, i) => {
    const from = day.from + i * DAY_MS / PIECES;
    const node = h('span.column', { title: `${timeOfDay(from)}: at most ${count} of ${day.slots}` });
    node.style.height = `${count / most * 100}%`;
    return node;
  });
  const top = day.counts.indexOf(Math.max(...day.counts));
  const words = `Slots in use over the last 24 hours: at most ${Math.max(...day.counts)} of ${day.slots}, at ${timeOfDay(day.from + top * DAY_MS / PIECES)}; now ${day.counts.at(-1)}.`;
  const limit = h('span.limit', {}, `${day.slots} slots`);
  limit.style.bottom = `${day.slots / most * 100}%`;
  const ticks = [0, 6, 12, 18, 24].map((hour) => h('span', {}, timeOfDay(day.from + hour * 3600 * 1000)));
  return h('figure.day', {}, h('figcaption', {}, h('h3', {}, 'Occupancy over the day'), h('p', {}, words)),
    h('div.columns', { role: 'img', 'aria-label': words }, limit, columns), h('div.hours', { 'aria-hidden': 'true' }, ticks),
    day.whole ? null : h('p.hint', {}, 'There were more sessions than can be counted here; the oldest are left out.'));
}

async function ask() {
  const nowMs = serverNow(), from = nowMs - DAY_MS;
  const since = encodeURIComponent(new Date(from).toISOString());
  const [allocation, live, ended] = await Promise.all([get('allocation'), get('sessions'), getPages(`sessions/history?since=${since}&limit=1000`, PAGES_MAX)]);
  const slots = allocation.pools.reduce((total, pool) => total + pool.slots, 0);
  return { allocation, day: { from, slots, whole: ended.whole, counts: occupancy([...ended.rows, ...live], from, nowMs, PIECES, nowMs) } };
}

export function show(main) {
  const box = h('div', {}, h('p.loading', {}, 'Asking the cluster …')), problem = h('p.message', { role: 'alert' });
  main.append(h('h1', {}, 'Capacity'), problem, box);
  let timer = null, ended = false, shown = '';

  async function draw() {
    try {
      const { allocation, day } = await ask();
      if (ended) return;
      setText(problem, '');
      const now = JSON.stringify([allocation, day.counts]);
      if (now !== shown) {
        shown = now;
        const denied = allocation.denials_last_hour;
        const open = (ids) => ids.length === 0 ? '–' : ids.map((id) => fleet.bodies.get(id)?.[0].body_name ?? id).join(', ');
        replace(box, numbers(allocation), dayChart(day),
          h('h2', {}, 'Turned away in the last hour'), h('div.axes', {}, bars('By reason', denied.by_reason, 'Nobody was turned away.'),
            bars('By the visitor’s venue', denied.by_head_venue, 'None.'), bars('By the body’s venue', denied.by_body_venue, 'None.')),
          h('h2', {}, 'Waits and places'),
          table('By pool', ['Pool', 'Slots', 'Occupied', 'Free', 'Waiting', 'Wait p50', 'Wait p90', 'Open circuits'], allocation.pools.map((pool) => [pool.pool, pool.slots,
            pool.occupied, pool.grantable, pool.queue_depth, seconds(pool.wait_median_seconds), seconds(pool.wait_p90_seconds), open(pool.open_circuits)])),
          table('By venue', ['Venue', 'Slots', 'Occupied', 'Waiting', 'Wait p50', 'Wait p90'], allocation.venues.map((venue) => [venue.venue, venue.slots, venue.occupied,
            venue.queue_depth, seconds(venue.wait_median_seconds), seconds(venue.wait_p90_seconds)])),
          h('p.hint', {}, `${plural(allocation.pools.length, 'pool')}, ${plural(allocation.venues.length, 'venue')}. p50: half waited at most so long; p90: nine of ten did.`));
      }
    } catch (error) { setText(problem, error.message); }
    if (!ended) timer = setTimeout(draw, AGAIN_MS);
  }
  draw();
  return () => { ended = true; clearTimeout(timer); };
}
