// A real daemon on a free loopback port with its data in a temporary folder, and hydrasim beside it. All of it ends with close().

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const START_MS = 20000;
const STOP_MS = 10000;
const LOOK_MS = 50;

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const build = path.resolve(root, process.env.BUILD_DIR ?? 'build');

// Waits for what a function answers, never for a time to pass.
export async function until(what, ask, mostMs = START_MS) {
  const end = Date.now() + mostMs;
  for (;;) {
    const got = await ask();
    if (got) return got;
    if (Date.now() > end) throw new Error(`waited ${mostMs} ms for ${what}`);
    await new Promise((resolve) => { setTimeout(resolve, LOOK_MS); });
  }
}

function run(program, args) {
  const child = spawn(path.join(build, program), args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  child.out = '';
  child.err = '';
  child.ended = new Promise((resolve) => { child.on('close', (code) => { child.code = code ?? 1; resolve(child.code); }); });
  child.stdout.on('data', (bytes) => { child.out += bytes; });
  child.stderr.on('data', (bytes) => { child.err = (child.err + bytes).slice(-20000); });
  return child;
}

async function end(child) {
  if (child === null || child.code !== undefined) return;
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await child.ended;
  clearTimeout(hard);
}

export class Cluster {
  #children = [];

  // `tls`: with a certificate of its own making.
  static async start({ timers = {}, tls = false } = {}) {
    const cluster = new Cluster();
    cluster.tls = tls;
    cluster.folder = await mkdtemp(path.join(tmpdir(), 'hydra-browser-'));
    try {
      const init = run('hydraclusterd', ['init', '--data-dir', path.join(cluster.folder, 'data')]);
      if (await init.ended !== 0) throw new Error(init.err);
      cluster.adminToken = /^admin_token: (.*)$/m.exec(init.out)[1];
      cluster.tokenFile = path.join(cluster.folder, 'admin.token');
      await writeFile(cluster.tokenFile, cluster.adminToken + '\n', { mode: 0o600 });
      cluster.timersFile = path.join(cluster.folder, 'timers.yaml');
      await writeFile(cluster.timersFile, Object.entries(timers).map(([name, value]) => `${name}: ${value}\n`).join(''));
      cluster.timers = Object.keys(timers).length > 0;
      await cluster.startDaemon(0);
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  async startDaemon(port) {
    const args = ['--data-dir', path.join(this.folder, 'data'), '--listen', `127.0.0.1:${port}`];
    if (this.tls) args.push('--tls-cert', await this.#certificate(), '--tls-key', path.join(this.folder, 'key.pem'));
    if (this.timers) args.push('--timers', this.timersFile, '--unsafe-timers');
    this.daemon = run('hydraclusterd', args);
    const ready = await until('the daemon', () => this.daemon.code !== undefined ? ['', ''] : /^ready url=(\S+) /m.exec(this.daemon.out));
    if (ready[1] === '') throw new Error(this.daemon.err);
    this.url = ready[1];
  }

  async #certificate() {
    const file = path.join(this.folder, 'cert.pem');
    const made = spawn('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=hydracluster', '-days', '2',
      '-keyout', path.join(this.folder, 'key.pem'), '-out', file], { stdio: 'ignore' });
    if (await new Promise((resolve) => { made.on('close', resolve); }) !== 0) throw new Error('openssl made no certificate');
    return file;
  }

  // Away as in a power cut, and back on the same port.
  async killDaemon() {
    this.daemon.kill('SIGKILL');
    await this.daemon.ended;
  }
  async restartDaemon() {
    await this.startDaemon(Number(new URL(this.url).port));
  }

  sim(args) {
    const child = run('hydrasim', ['--server', this.url, '--admin-token-file', this.tokenFile, '--plain', ...args]);
    this.#children.push(child);
    return child;
  }
  async endSim(child) { await end(child); }

  async newToken(kind) {
    const made = run('hydraclusterd', ['token', 'new', kind, '--data-dir', path.join(this.folder, 'data')]);
    if (await made.ended !== 0) throw new Error(made.err);
    return { id: /^token_id: (.*)$/m.exec(made.out)[1], token: /^token: (.*)$/m.exec(made.out)[1] };
  }
  async revokeToken(id) {
    const gone = run('hydraclusterd', ['token', 'revoke', id, '--data-dir', path.join(this.folder, 'data')]);
    if (await gone.ended !== 0) throw new Error(gone.err);
  }

  async call(method, where, body, token = this.adminToken) {
    const answer = await fetch(this.url + where, { method, headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  }
  async get(where) { return (await this.call('GET', where)).body; }

  async close() {
    for (const child of this.#children) await end(child);
    await end(this.daemon ?? null);
    await rm(this.folder, { recursive: true, force: true });
  }
}

export const readText = (file) => readFile(file, 'utf8');
