// The daemon's events as they happen (text/event-stream), resumed where they broke off.
//
// Read with fetch and not with EventSource: a lost connection must be seen at once, a refusal has a status, and a silence longer than the
// daemon's own signs of life (15 s) means that nobody is there.

import { loggedOut } from './api.js';

const SILENCE_MS = 25000;
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 5000;

// Lines into events; what is not complete yet is kept.
export class EventLines {
  #rest = '';
  feed(text) {
    const events = [];
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop();
    for (const block of blocks) {
      const event = { id: '', data: '' };
      for (const line of block.split('\n')) {
        if (line.startsWith('id: ')) event.id = line.slice(4);
        else if (line.startsWith('data: ')) event.data += line.slice(6);
      }
      if (event.data !== '') events.push({ id: event.id, ...JSON.parse(event.data) });
    }
    return events;
  }
}

// onEvent(event); onState('live' | 'lost' | 'busy'). 'live' after each (new) connection: what was shown before may be old.
export function follow(onEvent, onState) {
  let last = '';
  let retryMs = RETRY_FIRST_MS;
  let wake = null;

  async function read(answer, abort) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const lines = new EventLines();
    for (;;) {
      const silence = setTimeout(() => abort.abort(), SILENCE_MS);
      const { value, done } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      for (const event of lines.feed(value)) {
        last = event.id;
        onEvent(event);
      }
    }
  }

  async function connect() {
    const abort = new AbortController();
    const silence = setTimeout(() => abort.abort(), SILENCE_MS);
    const headers = { Accept: 'text/event-stream', ...(last === '' ? {} : { 'Last-Event-ID': last }) };
    const answer = await fetch('/api/v1/events?follow=1', { headers, cache: 'no-store', signal: abort.signal });
    clearTimeout(silence);
    if (answer.status === 401) loggedOut();
    if (!answer.ok) throw new Error(String(answer.status));
    retryMs = RETRY_FIRST_MS;
    onState('live');
    await read(answer, abort);
  }

  async function run() {
    for (;;) {
      let busy = false;
      try {
        await connect();
        continue;                 // the daemon ends each stream after a while; who cannot connect again hears of it below
      } catch (error) { busy = error.message === '503'; }
      onState(busy ? 'busy' : 'lost');
      await new Promise((resolve) => { wake = resolve; setTimeout(resolve, retryMs); });
      retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
    }
  }
  // A tablet that wakes up, a network that comes back: no need to wait for the next try.
  for (const name of ['online', 'visibilitychange', 'focus']) {
    (name === 'visibilitychange' ? document : window).addEventListener(name, () => wake?.());
  }
  run();
}
