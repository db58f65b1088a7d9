// Calls to the daemon with the session's cookie.

const BASE = '/api/v1/';
const CALL_MS = 20000;

export class Refusal extends Error {
  constructor(status, body) {
    super(body.detail ?? `The daemon answered ${status}.`);
    this.status = status;
    this.word = body.error ?? '';
    this.body = body;
  }
}

// Milliseconds to add to this machine's clock for the daemon's: nobody's clock is trusted but that one.
let skewMs = 0;
export const serverNow = () => Date.now() + skewMs;

export function loggedOut() {
  location.assign('/login?next=/');
}

async function refusalOf(answer) {
  let body = {};
  try { body = await answer.json(); } catch { /* no JSON: the status says what there is to say */ }
  return new Refusal(answer.status, body);
}

export async function call(method, path, body) {
  const answer = await fetch(BASE + path, {
    method, credentials: 'same-origin', cache: 'no-store', signal: AbortSignal.timeout(CALL_MS),
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const date = Date.parse(answer.headers.get('Date') ?? '');
  if (!Number.isNaN(date) && Math.abs(date + 500 - serverNow()) > 1500) skewMs = date + 500 - Date.now();
  if (answer.status === 401) loggedOut();
  if (!answer.ok) throw await refusalOf(answer);
  return { value: answer.status === 204 ? null : await answer.json(), next: answer.headers.get('X-Next-Cursor') };
}

export const get = async (path) => (await call('GET', path)).value;

// All pages of a list, at most `most` of them; `whole` is false when there are more.
export async function getPages(path, most) {
  const rows = [];
  let cursor = null;
  for (let page = 0; page < most; page++) {
    const got = await call('GET', cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`);
    rows.push(...got.value);
    cursor = got.next;
    if (cursor === null) break;
  }
  return { rows, whole: cursor === null };
}

const role = globalThis.document?.querySelector('meta[name=hydra-role]').content;
export const isAdmin = () => role === 'admin';
