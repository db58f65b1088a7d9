// What happens to a page that is open: the connection goes and comes back, the token is revoked, names are malicious, a reader only looks.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster, until } from './cluster.mjs';
import { logIn, openBrowser, openPage } from './browser.mjs';

const SCRIPT = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
let cluster, browser, page;

before(async () => {
  cluster = await Cluster.start();
  browser = await openBrowser();
  page = await openPage(browser);
});
after(async () => {
  await browser?.close();
  await cluster?.close();
});

const enrol = async (name, role, more = {}) => (await cluster.call('POST', '/api/v1/nodes', { name, roles: [role], venue: `v${SCRIPT.slice(0, 40)}`, district: 'default', ...more })).body;
const go = (hash) => page.evaluate((where) => { location.hash = where; }, hash);

test('a script in names, experiences, diagnostics and tickets is text everywhere', async () => {
  const body = await enrol(SCRIPT, 'body'), head = await enrol(`2${SCRIPT}`, 'head', { kind: 'hydraheadipad' });
  await cluster.call('PUT', `/api/v1/heads/${head.node_id}`, { status: SCRIPT.slice(0, 30), diagnostics: { note: SCRIPT } }, head.token);
  await cluster.call('POST', `/api/v1/body/status`, { status: 'online', stream_status: 'idle', boot_id: 'b1', report_seq: 1, provider_uptime_seconds: 100, installed_experiences: [SCRIPT.slice(0, 90)],
    gpu: SCRIPT.slice(0, 60), slots: [{ index: 0, state: 'streaming', client_name: SCRIPT.slice(0, 60), app: SCRIPT.slice(0, 60), client_uuid: 'u1', launch_id: 'l1', applied_epoch: 0 }],
    paired_clients: [{ uuid: 'u1', name: SCRIPT.slice(0, 60) }], paired_digest: 'd' }, body.token);
  await cluster.call('GET', `/api/v1/bodies/eligible?head_id=${head.node_id}&experience=${encodeURIComponent(SCRIPT.slice(0, 90))}`, undefined, head.token);
  await logIn(page, cluster);
  for (const view of ['', 'queue', 'timeline', 'capacity', 'nodes', `node/${body.node_id}`, `node/${head.node_id}`]) {
    await go(`#/${view}`);
    await page.locator('main h1').waitFor({ state: 'attached' });
    if (view !== 'queue') await page.locator('main', { hasText: SCRIPT.slice(0, 20) }).waitFor();
    assert.equal(await page.locator('main img, main script, .banner img, dialog img').count(), 0, view);
    assert.notEqual(await page.title(), '1');
  }
  await page.getByText('"note"').waitFor();
  assert.deepEqual(page.complaints.filter((text) => !text.includes('404')), []);
  await cluster.call('DELETE', `/api/v1/nodes/${body.node_id}?force=1`);
  await cluster.call('DELETE', `/api/v1/nodes/${head.node_id}?force=1`);
});

test('approve and deny: a node is denied with a preview, and approved again by the undo', async () => {
  const made = await enrol('kiosk-to-deny', 'head', { venue: 'north' });
  await go('#/nodes');
  const row = page.locator('tr', { hasText: 'kiosk-to-deny' });
  await row.getByRole('button', { name: 'Deny' }).click();
  const dialog = page.getByRole('dialog', { name: 'Deny kiosk-to-deny' });
  await dialog.getByText('It holds and serves nobody.').waitFor();
  await dialog.getByRole('button', { name: 'Deny' }).click();
  await until('denied', async () => (await cluster.get(`/api/v1/nodes/${made.node_id}`)).approval === 'denied');
  await row.getByRole('button', { name: 'Approve' }).waitFor();
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await until('approved', async () => (await cluster.get(`/api/v1/nodes/${made.node_id}`)).approval === 'approved');
  await row.getByRole('button', { name: 'Deny' }).waitFor();
});

test('enforce: refused with its reason until somebody insists', async () => {
  const made = await enrol('body-to-enforce', 'body', { venue: 'north' });
  await go(`#/node/${made.node_id}`);
  await page.getByRole('button', { name: 'Enforce', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Enforce on body-to-enforce' });
  await dialog.getByRole('button', { name: 'Enforce', exact: true }).click();
  await dialog.getByRole('alert').filter({ hasText: 'not yet been observed' }).waitFor();
  await dialog.getByRole('button', { name: 'Enforce all the same' }).click();
  await page.locator('.toast', { hasText: 'body-to-enforce enforces.' }).waitFor();
  assert.equal((await cluster.get(`/api/v1/nodes/${made.node_id}`)).body.enforce, 'enforce');
  page.complaints.length = 0;
});

test('enrolment: the page with the code opens with the session', async () => {
  await go('#/nodes');
  const [other] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('link', { name: 'Enrol a new device' }).click()]);
  await other.getByRole('heading', { name: 'Enrol a device' }).waitFor();
  assert.equal(await other.locator('svg').count(), 1);
  await other.close();
});

test('a lost connection is shown at once, what stands there is marked as old, and it heals by itself', async () => {
  await go('#/');
  await page.locator('.body', { hasText: 'body-to-enforce' }).waitFor();
  const killed = Date.now();
  await cluster.killDaemon();
  await page.locator('#connection[data-state=lost]').waitFor({ timeout: 5000 });
  const seen = Date.now() - killed;
  assert.ok(seen < 2000, `it took ${seen} ms to see`);
  await page.locator('.banner.warning', { hasText: 'Connection lost' }).waitFor();
  assert.ok(await page.evaluate(() => document.body.classList.contains('stale')));
  assert.match(await page.locator('#announce').innerText(), /Connection lost/);
  await cluster.restartDaemon();
  await page.locator('#connection[data-state=live]').waitFor({ timeout: 20000 });
  await page.locator('.banner', { hasText: 'Connection lost' }).waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.body.classList.contains('stale')), false);
  await enrol('body-after-the-break', 'body', { venue: 'north' });
  await page.locator('.body', { hasText: 'body-after-the-break' }).waitFor();
  page.complaints.length = 0;
});

test('a body that never reported is unknown, in word and pattern, and never free', async () => {
  const slot = page.locator('.body', { hasText: 'body-after-the-break' }).locator('.slot');
  assert.equal(await slot.getAttribute('data-kind'), 'unknown');
  assert.match(await slot.innerText(), /Unknown[^]*has not reported/);
  assert.notEqual(await slot.evaluate((node) => getComputedStyle(node).backgroundImage), 'none');
});

test('circuit: the hand says what it means and closes it', async () => {
  const node = (await cluster.get('/api/v1/nodes')).find((one) => one.name === 'body-after-the-break');
  await page.evaluate(async (bodyId) => { (await import('/page/hands.js')).act('circuit', { bodyId }); }, node.id);
  const dialog = page.getByRole('dialog', { name: 'Close the circuit of body-after-the-break' });
  await dialog.getByText('Its failures are forgotten').waitFor();
  await dialog.getByRole('button', { name: 'Close the circuit' }).click();
  await page.locator('.toast', { hasText: 'The circuit of body-after-the-break is closed.' }).waitFor();
});

test('safe mode: a banner says whom it waits for, and a hand ends it', async () => {
  const made = await enrol('body-that-is-awaited', 'body', { venue: 'north' });
  const report = { status: 'online', stream_status: 'idle', boot_id: 'b1', report_seq: 1, provider_uptime_seconds: 100, installed_experiences: ['x'], slots: [{ index: 0, state: 'idle', applied_epoch: 0 }] };
  assert.equal((await cluster.call('POST', '/api/v1/body/status', report, made.token)).status, 200);
  await cluster.killDaemon();
  await cluster.restartDaemon();
  const banner = page.locator('.banner.warning', { hasText: 'Safe mode in default' });
  await banner.filter({ hasText: 'body-that-is-awaited' }).waitFor({ timeout: 20000 });
  await banner.getByRole('button', { name: 'End it' }).click();
  const dialog = page.getByRole('dialog', { name: 'End safe mode in default' });
  await dialog.getByText('body-that-is-awaited').waitFor();
  await dialog.getByRole('button', { name: 'End safe mode' }).click();
  await banner.waitFor({ state: 'detached', timeout: 20000 });
  page.complaints.length = 0;
});

test('a read token looks and has no hands', async () => {
  const { token } = await cluster.newToken('read');
  const reader = await openPage(browser);
  await until('the token', async () => (await cluster.call('GET', '/api/v1/queue', undefined, token)).status === 200);
  await logIn(reader, cluster, token);
  await reader.locator('.body').first().waitFor();
  assert.equal(await reader.locator('button.hand').count(), 0);
  await reader.goto(cluster.url + '/#/nodes');
  await reader.locator('tbody tr').first().waitFor();
  assert.equal(await reader.getByRole('button', { name: 'Deny' }).count(), 0);
  await reader.context().close();
});

test('a page of another site cannot use the session', async () => {
  const id = [...await cluster.get('/api/v1/nodes')][0].id;
  const { value } = (await page.context().cookies())[0];
  const ask = (origin) => fetch(`${cluster.url}/api/v1/nodes/${id}`, { method: 'DELETE', headers: { Cookie: `admin_session=${value}`, ...(origin === null ? {} : { Origin: origin }) } });
  for (const origin of [null, 'http://evil.example']) assert.equal((await ask(origin)).status, 403);
  assert.ok((await cluster.get('/api/v1/nodes')).some((node) => node.id === id));
});

test('a revoked token ends the session of an open page', async () => {
  const { id, token } = await cluster.newToken('admin');
  const other = await openPage(browser);
  await until('the token', async () => (await cluster.call('GET', '/api/v1/queue', undefined, token)).status === 200);
  await logIn(other, cluster, token);
  await cluster.revokeToken(id);
  await other.waitForURL('**/login?next=/', { timeout: 20000 });
  assert.equal((await other.request.get(`${cluster.url}/api/v1/slots`)).status(), 401);
  await other.context().close();
});

test('log out ends it', async () => {
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByLabel('Operator token').waitFor();
  assert.deepEqual(await page.context().cookies(), []);
});

test('over HTTPS the cookie is Secure, and the page works as well', async () => {
  const secure = await Cluster.start({ tls: true });
  try {
    const visitor = await openPage(browser, { ignoreHTTPSErrors: true });
    await logIn(visitor, secure);
    await visitor.getByText('No body is enrolled yet.').waitFor();
    const cookies = await visitor.context().cookies();
    assert.ok(cookies[0].secure && cookies[0].httpOnly && cookies[0].sameSite === 'Lax');
    assert.deepEqual(visitor.complaints, []);
    await visitor.context().close();
  } finally {
    await secure.close();
  }
});
