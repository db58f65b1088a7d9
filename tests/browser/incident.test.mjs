// The incident of 2026-09-04 on the page: two pictures, one honest place in the line; what staff do about it; the pictures of docs/images.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster, until } from './cluster.mjs';
import { logIn, openBrowser, openPage, picture } from './browser.mjs';

const HEADS = ['ipad-head-map-35', 'ipad-head-map-37', 'ipad-head-map-39'];
let cluster, browser, page, streaming, waiting;

before(async () => {
  cluster = await Cluster.start();
  browser = await openBrowser();
  page = await openPage(browser);
  cluster.sim(['--scenario', 'tests/browser/incident.scenario']);
  streaming = await until('two pictures', async () => {
    const rows = (await cluster.get('/api/v1/slots')).filter((row) => row.lease?.state === 'streaming');
    return rows.length === 2 && rows;
  }, 60000);
  waiting = (await until('one in line', async () => { const queue = await cluster.get('/api/v1/queue'); return queue.length === 1 && queue; }))[0];
});
after(async () => {
  await browser?.close();
  await cluster?.close();
});

const slotOf = (name) => page.locator('.slot', { hasText: name });
const go = (hash) => page.evaluate((where) => { location.hash = where; }, hash);

test('a wrong token is told in the page, the right one opens the board', async () => {
  await page.goto(cluster.url + '/');
  await picture(page, 'login');
  await page.getByLabel('Operator token').fill('not-it');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').filter({ hasText: 'This is not the token of an operator' }).waitFor();
  page.complaints.length = 0;
  await logIn(page, cluster);
  const cookies = await page.context().cookies();
  assert.equal(cookies.length, 1);
  assert.ok(cookies[0].httpOnly && cookies[0].sameSite === 'Lax' && !cookies[0].value.includes(cluster.adminToken));
  assert.equal(await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })), '{}');
});

test('board: the two who have a picture, as guests, with what ends it; the third is nowhere on it', async () => {
  for (const row of streaming) {
    const slot = slotOf(row.lease.head_name);
    await slot.waitFor();
    const text = await slot.innerText();
    for (const word of ['Streaming', 'mercator-talks', 'guest from sint-niklaas', 'until the visitor leaves', 'for '])
      assert.ok(text.includes(word), `${word} in ${text}`);
  }
  assert.equal(await slotOf(waiting.head_name).count(), 0);
  assert.deepEqual([...streaming.map((row) => row.lease.head_name), waiting.head_name].sort(), HEADS);
  assert.equal(await page.locator('.banner').count(), 0);
  assert.equal(await page.getByRole('button', { name: /^2 Streaming/ }).count(), 1);
  await picture(page, 'board');
});

test('queue: the third, at the first place, with how long and why', async () => {
  await page.getByRole('link', { name: 'Queue' }).click();
  const text = await page.locator('.ticket', { hasText: waiting.head_name }).innerText();
  for (const word of ['1st', 'sint-niklaas', 'mercator-talks', 'no slot is free']) assert.ok(text.includes(word), `${word} in ${text}`);
  await picture(page, 'queue');
});

test('timeline: a bar that streams for each slot, read by keyboard', async () => {
  await page.getByRole('link', { name: 'Timeline' }).click();
  await page.getByRole('button', { name: '5 minutes' }).click();
  const bar = page.locator('.piece[data-piece=streaming]').first();
  await bar.waitFor();
  assert.equal(await page.locator('.piece[data-piece=streaming]').count(), 2);
  await page.locator('.piece').first().focus();
  await page.keyboard.press('ArrowRight');
  const told = await page.locator('.told').innerText();
  assert.match(told, /^streaming: ipad-head-map-3\d, mercator-talks\. \d/);
  await picture(page, 'timeline');
});

test('capacity: places, who was turned away on both axes, the day', async () => {
  await page.getByRole('link', { name: 'Capacity' }).click();
  const denials = page.locator('.denials');
  await denials.first().waitFor();
  assert.match(await denials.nth(0).innerText(), /no slot/);
  assert.match(await denials.nth(1).innerText(), /sint-niklaas/);
  assert.match(await page.locator('.day').innerText(), /at most 2 of 2/);
  assert.match(await page.locator('table').first().innerText(), /Wait p50\s+Wait p90/);
  await picture(page, 'capacity');
});

test('body page: report age, epochs, gate, circuit, pairing list with first seen, sessions', async () => {
  await until('the custodian', async () => (await cluster.get(`/api/v1/nodes/${streaming[0].body_id}/pairing`)).clients.length > 0, 60000);
  await go(`#/node/${streaming[0].body_id}`);
  await page.getByRole('heading', { name: streaming[0].body_name }).waitFor();
  await page.getByRole('heading', { name: 'Pairing list' }).waitFor();
  const text = await page.locator('main').innerText();
  for (const word of ['Report', ' old, number ', 'Epoch', 'applied', 'Gate', 'Circuit', 'closed', 'First seen', 'Last sessions it served', streaming[0].lease.head_name])
    assert.ok(text.includes(word), word);
  await picture(page, 'body', { fullPage: true });
});

test('head page: its place, and explain with every body and why not', async () => {
  await go(`#/node/${waiting.head_id}`);
  await page.getByRole('button', { name: 'Explain' }).click();
  const table = page.locator('main table', { hasText: 'Why not' });
  await table.waitFor();
  const text = await table.innerText();
  for (const row of streaming) assert.ok(text.includes(row.body_name));
  assert.ok(text.includes('leased'));
  assert.match(await page.locator('main').innerText(), /1st, for/);
  await picture(page, 'head', { fullPage: true });
});

test('drain: a preview names whom it touches, the board shows it, the undo takes it back', async () => {
  const { body_id: id, body_name: name, lease } = streaming[0];
  await go('#/');
  await page.getByRole('button', { name: `Act on slot 0 of ${name}` }).click();
  await page.locator('dialog').getByRole('button', { name: 'Drain' }).click();
  const dialog = page.getByRole('dialog', { name: `Drain ${name}` });
  await dialog.locator('.touched', { hasText: lease.head_name }).waitFor();
  assert.ok((await dialog.locator('.touched').innerText()).includes(waiting.head_name));
  assert.equal((await cluster.get(`/api/v1/nodes/${id}`)).body.drain_deadline_at, null);
  await picture(page, 'drain');
  await dialog.getByLabel('Deadline in minutes').fill('30');
  await dialog.getByRole('button', { name: 'Drain' }).click();
  await page.locator('.body', { hasText: name }).locator('.mark', { hasText: 'drains until' }).waitFor();
  assert.notEqual((await cluster.get(`/api/v1/nodes/${id}`)).body.drain_deadline_at, null);
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await page.locator('.toast', { hasText: 'does not drain any more' }).waitFor();
  await page.locator('.body', { hasText: name }).locator('.mark').waitFor({ state: 'detached' });
  assert.equal((await cluster.get(`/api/v1/nodes/${id}`)).body.drain_deadline_at, null);
  await page.locator('.toast').getByRole('button', { name: 'Close' }).click();
});

test('keyboard only: from the board into maintenance and back', async () => {
  const { body_id: id, body_name: name } = streaming[1];
  await page.locator('body').focus();
  const stops = async (wanted) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const label = await page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
      if (label.includes(wanted)) return;
    }
    assert.fail(`Tab does not reach ${wanted}`);
  };
  await stops(`Act on slot 0 of ${name}`);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await stops('Into maintenance');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: `Maintenance on ${name}` }).locator('.touched').waitFor();
  await page.keyboard.press('Enter');                    // the preview has put the focus on its button
  await page.locator('.toast', { hasText: 'is in maintenance' }).waitFor();
  assert.equal((await cluster.get(`/api/v1/nodes/${id}`)).body.maintenance, true);
  assert.match(await page.locator('#announce').innerText(), /is in maintenance/);
  await stops('Undo');
  await page.keyboard.press('Enter');
  await until('the undo', async () => (await cluster.get(`/api/v1/nodes/${id}`)).body.maintenance === false);
  await page.keyboard.press('Escape');
});

test('dark, and narrow: nothing is wider than the screen', async () => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('.toast').getByRole('button', { name: 'Close' }).click();
  assert.ok(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor) === 'rgb(15, 22, 21)');
  await picture(page, 'board-dark');
  await page.setViewportSize({ width: 360, height: 780 });
  for (const view of ['', 'queue', 'timeline', 'capacity', 'nodes', `node/${streaming[0].body_id}`]) {
    await go(`#/${view}`);
    await page.locator('main h1').waitFor({ state: 'attached' });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} is wider than the screen`);
  }
  await go('#/');
  await page.locator('.slot').first().waitFor();
  await picture(page, 'board-narrow');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 860 });
});

test('the daemon dies and comes back: both visitors still have their picture', async () => {
  await cluster.killDaemon();
  await page.locator('#connection[data-state=lost]').waitFor({ timeout: 5000 });
  await page.locator('.banner', { hasText: 'Connection lost' }).waitFor();
  await picture(page, 'connection-lost');
  await cluster.restartDaemon();
  await page.locator('#connection[data-state=live]').waitFor({ timeout: 20000 });
  await page.locator('.banner').first().waitFor({ state: 'detached', timeout: 60000 });
  for (const row of streaming) await slotOf(row.lease.head_name).and(page.locator('[data-kind=streaming]')).waitFor({ timeout: 30000 });
  page.complaints.length = 0;
});

test('a divergence appears as a banner that names class and row, and goes', async () => {
  const made = (await cluster.call('POST', '/api/v1/nodes', { name: 'ipad-that-nobody-asked', roles: ['head'], venue: 'sint-niklaas' })).body;
  const says = (status, body) => cluster.call('PUT', `/api/v1/heads/${made.node_id}`, { status, body_id: body }, made.token);
  assert.equal((await says('streaming', streaming[0].body_id)).status, 200);
  const banner = page.locator('.banner.divergence');
  await banner.waitFor();
  const text = await banner.innerText();
  for (const word of ['unauthorized_stream', 'A picture that nobody was given', `${streaming[0].body_name}, slot 0`]) assert.ok(text.includes(word), `${word} in ${text}`);
  assert.ok((await page.locator('#announce').innerText()).includes(streaming[0].body_name));
  await page.locator(`.body[data-divergent] .slot[data-divergent]`).first().waitFor();
  await picture(page, 'divergence');
  await says('idle', null);
  await banner.waitFor({ state: 'detached', timeout: 20000 });
  await page.locator('[data-divergent]').first().waitFor({ state: 'detached' });
});

test('release: a preview without undo, and the visit is in the history with its reason', async () => {
  const { body_name: name, lease } = streaming[0];
  await page.getByRole('button', { name: `Act on slot 0 of ${name}` }).click();
  await page.locator('dialog').getByRole('button', { name: 'Release' }).click();
  const dialog = page.getByRole('dialog', { name: `Release slot 0 of ${name}` });
  await dialog.locator('.touched', { hasText: lease.head_name }).waitFor();
  assert.match(await dialog.innerText(), /There is no undo/);
  await dialog.getByLabel('Why').fill('a visitor complained');
  await dialog.getByRole('button', { name: 'Release' }).click();
  await page.locator('.toast', { hasText: 'was released' }).waitFor();
  assert.equal(await page.locator('.toast').getByRole('button', { name: 'Undo' }).count(), 0);
  const ended = await until('the end of the visit', async () =>
    (await cluster.get('/api/v1/sessions/history?limit=10')).find((one) => one.lease_id === lease.id), 60000);
  assert.equal(ended.reason, 'operator_release');
  await go(`#/node/${lease.head_id}`);
  await page.getByText('operator release').first().waitFor();
});

test('revoke: at once, without undo', async () => {
  const { body_name: name, lease } = streaming[1];
  await go('#/');
  await page.getByRole('button', { name: `Act on slot 0 of ${name}` }).click();
  await page.locator('dialog').getByRole('button', { name: 'Revoke' }).click();
  const dialog = page.getByRole('dialog', { name: `Revoke slot 0 of ${name}` });
  await dialog.locator('.touched', { hasText: lease.head_name }).waitFor();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.locator('.toast', { hasText: `The lease of ${lease.head_name} was revoked.` }).waitFor();
  const ended = await until('the end of the lease', async () =>
    (await cluster.get('/api/v1/sessions/history?limit=10')).find((one) => one.lease_id === lease.id), 20000);
  assert.equal(ended.state, 'revoked');
});

test('nothing was loaded from elsewhere, and the policy was not breached', () => {
  assert.deepEqual(page.elsewhere, []);
  assert.deepEqual(page.complaints.filter((text) => !text.includes('404')), []);        // a head without an identity is a 404
});
