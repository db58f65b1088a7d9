// A thousand slots: the first board, how soon a change is seen, and memory over ten thousand events.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import path from 'node:path';
import { writeFile } from 'node:fs/promises';
import { Cluster, until } from './cluster.mjs';
import { logIn, openBrowser, openPage } from './browser.mjs';

const BODIES = 250, SLOTS = 4;
const FIRST_BOARD_MS = 1000, UPDATE_MS = 200;
const EVENTS = 10000, WARM_EVENTS = 1000, AT_ONCE = 16;
const HEAP_GROWTH = 4 * 1024 * 1024;
let cluster, browser, page, bodies;

before(async () => {
  cluster = await Cluster.start();
  const scenario = path.join(cluster.folder, 'thousand.scenario');
  await writeFile(scenario, `title a thousand slots\nduration 60min\nvenue north owner hydra\nexperience mercator\nbodies ${BODIES} body venue north kind modern slots ${SLOTS}\n`);
  cluster.sim(['--scenario', scenario]);
  await until('a thousand free slots', async () => (await cluster.get('/api/v1/slots')).filter((row) => row.grantable).length === BODIES * SLOTS, 120000);
  bodies = (await cluster.get('/api/v1/bodies')).map((body) => body.id ?? body.body_id);
  browser = await openBrowser();
  page = await openPage(browser);
  await logIn(page, cluster);
});
after(async () => {
  await browser?.close();
  await cluster?.close();
});

test(`first board of ${BODIES * SLOTS} slots in less than ${FIRST_BOARD_MS} ms`, async (context) => {
  const took = [];
  for (let i = 0; i < 5; i++) {
    await page.reload();
    await page.waitForFunction((count) => document.querySelectorAll('.slot').length === count, BODIES * SLOTS);
    took.push(await page.evaluate(() => performance.getEntriesByName('board')[0].startTime));
  }
  took.sort((a, b) => a - b);
  context.diagnostic(`first board after ${took.map(Math.round).join(', ')} ms`);
  assert.ok(took[0] < FIRST_BOARD_MS, `${took[0]} ms`);        // the quickest: what else this machine does is not the page's
});

test(`a change is seen in less than ${UPDATE_MS} ms`, async (context) => {
  const took = [];
  for (let i = 0; i < 10; i++) {            // an even number: the last one opens it again
    const closed = i % 2 === 0;
    took.push(await page.evaluate(async ([id, maintenance]) => {
      const node = document.querySelector(`[data-body="${id}"]`);
      const seen = new Promise((resolve) => {
        const check = () => { if ((node.querySelector('.slot').dataset.kind === 'closed') === maintenance) resolve(performance.now()); else requestAnimationFrame(check); };
        check();
      });
      const answer = await fetch(`/api/v1/nodes/${id}/slots`, { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ maintenance }) });
      const durable = performance.now();
      if (!answer.ok) throw new Error(String(answer.status));
      return Math.max(0, await seen - durable);
    }, [bodies[100], closed]));
  }
  took.sort((a, b) => a - b);
  context.diagnostic(`seen after ${took.map(Math.round).join(', ')} ms`);
  assert.ok(took[4] < UPDATE_MS, `median ${took[4]} ms`);
});

async function measured(client) {
  await client.send('HeapProfiler.collectGarbage');
  await client.send('HeapProfiler.collectGarbage');
  const { metrics } = await client.send('Performance.getMetrics');
  const of = (name) => metrics.find((metric) => metric.name === name).value;
  return { heap: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') };
}

// Drains of idle bodies, armed and undone: each is an event, and a row that changes.
async function makeEvents(count) {
  let left = count;
  await Promise.all(Array.from({ length: AT_ONCE }, async (_, worker) => {
    for (let i = 0; left > 0; i++) {
      left -= 2;
      const id = bodies[(worker + i * AT_ONCE) % bodies.length];
      await cluster.call('POST', `/api/v1/nodes/${id}/drain`, { deadline_seconds: 600 });
      await cluster.call('DELETE', `/api/v1/nodes/${id}/drain`);
    }
  }));
}

const lastEvent = async () => (await cluster.get('/api/v1/events?limit=1'))[0].id;
const seenOnPage = (id) => page.waitForFunction((wanted) => window.lastEventSeen === wanted, id, { timeout: 60000 });

test(`memory is flat over ${EVENTS} events`, async (context) => {
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable');
  await page.evaluate(async () => {
    const { onEvent } = await import('/page/fleet.js');
    onEvent((event) => { window.lastEventSeen = event.id; });
  });
  await makeEvents(WARM_EVENTS);
  await seenOnPage(await lastEvent());
  const before = await measured(client);
  await makeEvents(EVENTS);
  await seenOnPage(await lastEvent());
  await page.waitForFunction(() => document.querySelectorAll('.mark').length === 0, undefined, { timeout: 30000 });
  const afterwards = await measured(client);
  context.diagnostic(`heap ${Math.round(before.heap / 1024)} KiB before, ${Math.round(afterwards.heap / 1024)} KiB after; nodes ${before.nodes}, ${afterwards.nodes}`);
  assert.ok(afterwards.heap < before.heap + HEAP_GROWTH, `heap from ${before.heap} to ${afterwards.heap}`);
  assert.ok(afterwards.nodes < before.nodes * 1.2 + 500, `nodes from ${before.nodes} to ${afterwards.nodes}`);
  assert.ok(afterwards.listeners < before.listeners * 1.2 + 100, `listeners from ${before.listeners} to ${afterwards.listeners}`);
});
