// Debian's Chromium, driven by playwright-core; a new empty profile for each run.

import { createRequire } from 'node:module';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { build, root } from './cluster.mjs';

// The modules lie in the build folder, where `make browser` installs them.
const { chromium } = createRequire(path.join(build, 'browser/'))('playwright-core');
const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];
const IMAGES = path.join(root, 'docs/images');

export async function openBrowser() {
  return chromium.launch({ executablePath: PROGRAM, headless: true, args: FLAGS });
}

// A visitor's own window: cookies of its own. What the page complains about is collected, for a strict policy shows breaches there.
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.elsewhere = [];
  page.on('console', (message) => { if (message.type() === 'error') page.complaints.push(message.text()); });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('request', (request) => { if (!/^https?:\/\/127\.0\.0\.1/.test(request.url()) && !request.url().startsWith('blob:')) page.elsewhere.push(request.url()); });
  return page;
}

export async function logIn(page, cluster, token = cluster.adminToken) {
  await page.goto(cluster.url + '/');
  await page.getByLabel('Operator token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForSelector('#connection[data-state=live]');
}

export async function picture(page, name, options = {}) {
  if (process.env.PICTURES !== 'yes') return;
  await mkdir(IMAGES, { recursive: true });
  await page.screenshot({ path: path.join(IMAGES, `${name}.png`), ...options });
}
