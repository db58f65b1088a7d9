// What the daemon's words mean to people: pure, no page.

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return '';
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor(s % 86400 / 3600)} h`;
}

// "no_slot" reads better as "no slot"; what has a better text has it here.
const TEXTS = {
  leased: 'leased', no_report: 'its body has not reported', stale_report: 'the report is old', not_named: 'the report does not name it',
  not_idle: 'something runs on it', xr: 'XR runs on it', circuit_open: 'its circuit is open', probe_out: 'a probe is under way',
  offline: 'its body is offline', maintenance: 'in maintenance', epoch_unconfirmed: 'waits until the body confirms the epoch',
  promised: 'promised to somebody who waits', kept_for_older: 'kept for somebody who came first', pair_lease: 'a head pairs on it',
  safe_mode: 'safe mode', no_ports: 'its body named no ports', slot_lowered: 'more slots than the body may have',
  legacy_needs_one_slot: 'older heads need a body with one slot', reserved_for_home_venue: 'kept for visitors of its own venue',
  venue_cap: 'the venue has as many as it may', org_cap: 'the owner has as many as it may', experience: 'does not have the experience',
  stream_mode: 'cannot stream in that mode', venue: 'is for other venues', demoted: 'just failed for this head',
  no_slot: 'no slot is free', no_fresh_body: 'no body reports at this moment', queue_full: 'the queue is full',
  no_slot_available: 'no slot was free',
  unauthorized_stream: 'A picture that nobody was given', lease_without_stream: 'A lease without a picture',
  epoch_regressed: 'The body is ahead of us: a restored backup?', epoch_below_floor: 'The body applied something outdated',
  wrong_client: 'Another client than the lease’s', second_launch: 'Two pictures on one slot', adopted_unknown_head: 'Nobody knows whose picture this is',
  downgrade_detected: 'An older program wrote our files', unknown_body: 'A body that is not enrolled any more',
};
export const text = (word) => TEXTS[word] ?? String(word ?? '').replaceAll('_', ' ');
export const texts = (words) => words.map(text).join(', ');

// Kinds order the board's counts; each has a word and a colour of its own in the style sheet.
export const KINDS = {
  streaming: 'Streaming', starting: 'Starting', draining: 'Draining', free: 'Free', unknown: 'Unknown', stray: 'Not leased',
  closed: 'Closed',
};

const LEASE_STATES = {
  held: ['starting', 'Held'], granted: ['starting', 'Granted'], pairing: ['starting', 'Pairing'], starting: ['starting', 'Starting'],
  streaming: ['streaming', 'Streaming'], adopted: ['streaming', 'Streaming'], draining: ['draining', 'Draining'],
  unknown: ['unknown', 'Unknown'],
};

// Why a slot without a lease is not free, the strongest reason first.
const CLOSED_BY = [
  ['not_idle', 'stray', 'In use'], ['xr', 'stray', 'In use'], ['slot_lowered', 'closed', 'Leaving'],
  ['maintenance', 'closed', 'Maintenance'], ['offline', 'unknown', 'Unknown'], ['no_report', 'unknown', 'Unknown'],
  ['stale_report', 'unknown', 'Unknown'], ['not_named', 'unknown', 'Unknown'], ['circuit_open', 'closed', 'Circuit open'],
  ['probe_out', 'closed', 'On trial'], ['pair_lease', 'starting', 'Pairing'], ['epoch_unconfirmed', 'closed', 'Confirming'],
  ['promised', 'closed', 'Promised'], ['kept_for_older', 'closed', 'Kept'], ['safe_mode', 'closed', 'Safe mode'],
  ['no_ports', 'closed', 'Not set up'],
];

// Here the word says all that the reason would.
const SAYS_ALL = ['maintenance', 'circuit_open', 'safe_mode'];

// {kind, word, detail}: what a row of /slots is. Only a slot that the daemon would grant is ever called free.
export function stateOf(row) {
  if (row.lease !== null) {
    const [kind, word] = LEASE_STATES[row.lease.state] ?? ['unknown', row.lease.state];
    const why = row.lease.reason ? text(row.lease.reason) : '';
    return { kind, word: row.lease.mode === 'xr' && kind === 'streaming' ? 'In XR' : word, detail: row.lease.left_behind ? 'left behind' : why };
  }
  if (row.observed !== null && row.observed.source === 'head') return { kind: 'stray', word: 'Says it streams', detail: 'a head says so' };
  if (row.divergence.includes('unauthorized_stream') || row.divergence.includes('second_launch'))
    return { kind: 'stray', word: 'Not leased', detail: texts(row.why_not) };
  if (row.grantable) return { kind: 'free', word: 'Free', detail: '' };
  for (const [why, kind, word] of CLOSED_BY)
    if (row.why_not.includes(why)) return { kind, word, detail: texts(row.why_not.filter((one) => one !== why || !SAYS_ALL.includes(why))) };
  return { kind: row.occupied ? 'unknown' : 'closed', word: row.occupied ? 'Unknown' : 'Not granted', detail: texts(row.why_not) };
}

// What ends the row's state, and when; `later` is how many seconds have passed since the daemon said it.
export function endOf(row, later) {
  const lease = row.lease;
  if (lease === null) return '';
  const left = (seconds) => duration(Math.max(0, seconds - later));
  if (lease.state === 'draining') return lease.expires_in_seconds === null ? 'until the body is idle' : `at most ${left(lease.expires_in_seconds)} more`;
  if (lease.state === 'unknown') return lease.expires_in_seconds === null ? 'until the body is back' : `given up in ${left(lease.expires_in_seconds)}`;
  if (lease.start_deadline_in_seconds !== null && ['held', 'granted', 'pairing', 'starting'].includes(lease.state))
    return `must stream within ${left(lease.start_deadline_in_seconds)}`;
  if (lease.unattended_seconds > 0) return `nobody there for ${duration(lease.unattended_seconds + later)}; ends in ${left(lease.expires_in_seconds ?? 0)}`;
  return 'until the visitor leaves';
}

// nameOf(id) -> the name of a head that the row has by its id only, or undefined.
export function headOf(row, nameOf = () => undefined) {
  if (row.lease !== null) return row.lease.head_name ?? row.lease.head_id ?? 'unknown head';
  if (row.observed !== null) return nameOf(row.observed.head_id) ?? row.observed.head_id ?? row.observed.client_name ?? '';
  return '';
}

// 'home', 'guest', or '' when there is nobody or nobody knows.
export function belongs(row) {
  if (row.lease === null || row.lease.head_venue === null || row.venue === null) return '';
  return row.lease.head_venue === row.venue ? 'home' : 'guest';
}

// A row's name that stays while it changes: two sessions on one slot are two rows.
export const rowKey = (row) => `${row.slot}/${row.lease?.id ?? row.observed?.launch_id ?? row.observed?.head_id ?? ''}`;

export function ordinal(n) {
  const tail = n % 100 >= 11 && n % 100 <= 13 ? 'th' : ['th', 'st', 'nd', 'rd'][n % 10] ?? 'th';
  return `${n}${tail}`;
}

export const plural = (n, one, many = one + 's') => `${n} ${n === 1 ? one : many}`;

// Names as people order them: pretzel-9 before pretzel-10.
export const collate = new Intl.Collator(undefined, { numeric: true }).compare;

export const timeOfDay = (instant) => new Date(instant).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
