import test from 'ava';
import { createKeyring, newSecretKey } from '#control-plane/platform/secrets/keyring.ts';
import {
  confirmedSession,
  expiredCookie,
  newSession,
  readSession,
  type Session,
  sessionCookie,
} from '#control-plane/web/dashboard/session.ts';

const nowMs = Date.parse('2026-11-21T10:00:00Z');
const twelveHoursMs = 12 * 3_600_000;
const [oldKey, newKey] = [newSecretKey(), newSecretKey()];
const keyring = createKeyring([newKey]);
const session = newSession('upq_token', twelveHoursMs, nowMs);

test('the cookie returns the session until it expires', t => {
  const headers = headersOf(session);
  t.deepEqual(readSession(headers, keyring, false, nowMs), session);
  t.deepEqual(readSession(headers, keyring, false, nowMs + twelveHoursMs - 1), session);
  t.is(readSession(headers, keyring, false, nowMs + twelveHoursMs), null);
});

test('a cookie sealed with an older key is accepted, one of a removed key is not', t => {
  const cookie = sessionCookie(session, createKeyring([oldKey]), false, nowMs).split(';')[0] ?? '';
  t.deepEqual(readSession({ cookie }, createKeyring([newKey, oldKey]), false, nowMs), session);
  t.is(readSession({ cookie }, keyring, false, nowMs), null);
});

test('the cookie is found among others, and only under the name of its scheme', t => {
  const [pair = ''] = sessionCookie(session, keyring, false, nowMs).split(';');
  const [securePair = ''] = sessionCookie(session, keyring, true, nowMs).split(';');
  t.deepEqual(readSession({ cookie: `a=1;${pair} ; b=2` }, keyring, false, nowMs), session);
  t.is(readSession({ cookie: pair }, keyring, true, nowMs), null);
  t.is(readSession({ cookie: securePair }, keyring, false, nowMs), null);
  t.deepEqual(readSession({ cookie: securePair }, keyring, true, nowMs), session);
  t.is(readSession({ cookie: `x${pair}` }, keyring, false, nowMs), null);
});

test('both cookies carry the same attributes, and Secure with the host prefix over https', t => {
  const attributes = 'HttpOnly; SameSite=Strict';
  t.regex(
    sessionCookie(session, keyring, false, nowMs),
    new RegExp(`^upquorum=[\\w-]+; Path=/; Max-Age=43200; ${attributes}$`),
  );
  t.is(expiredCookie(false), `upquorum=; Path=/; Max-Age=0; ${attributes}`);
  t.is(expiredCookie(true), `__Host-upquorum=; Path=/; Max-Age=0; ${attributes}; Secure`);
});

test('a session counts only with its own CSRF token', t => {
  const { cookie } = headersOf(session);
  const other = newSession('upq_token', twelveHoursMs, nowMs);
  t.not(other.csrf, session.csrf);
  const tokenOf = (headers: Record<string, string>) => confirmedSession(headers, keyring, false, nowMs)?.token;
  t.is(tokenOf({ cookie, 'x-csrf-token': session.csrf }), 'upq_token');
  for (const csrf of ['', other.csrf, session.csrf.slice(1), `${session.csrf}x`])
    t.is(tokenOf({ cookie, 'x-csrf-token': csrf }), undefined);
  t.is(tokenOf({ 'x-csrf-token': session.csrf }), undefined);
  const foreign = { cookie, 'x-csrf-token': session.csrf, 'sec-fetch-site': 'cross-site' };
  t.throws(() => tokenOf(foreign), { message: /another site/ });
});

function headersOf(value: Session): { cookie: string } {
  return { cookie: sessionCookie(value, keyring, false, nowMs).split(';')[0] ?? '' };
}
