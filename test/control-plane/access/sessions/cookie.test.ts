import test from 'ava';
import { csrfOf, expiredCookie, readCookie, sessionCookie } from '#control-plane/access/sessions/cookie.ts';
import { newBearer } from '#control-plane/platform/secrets/bearer.ts';

const twelveHoursMs = 12 * 3_600_000;
const secret = newBearer('ups');

test('the cookie is found among others, and only under the name of its scheme', t => {
  const [pair = ''] = sessionCookie(secret, twelveHoursMs, false).split(';');
  const [securePair = ''] = sessionCookie(secret, twelveHoursMs, true).split(';');
  t.is(readCookie({ cookie: `a=1;${pair} ; b=2` }, false), secret);
  t.is(readCookie({ cookie: pair }, true), null);
  t.is(readCookie({ cookie: securePair }, false), null);
  t.is(readCookie({ cookie: securePair }, true), secret);
  t.is(readCookie({ cookie: `x${pair}` }, false), null);
  t.is(readCookie({ cookie: 'upquorum=' }, false), null);
});

test('both cookies carry the same attributes, and Secure with the host prefix over https', t => {
  const attributes = 'HttpOnly; SameSite=Strict';
  t.is(sessionCookie(secret, twelveHoursMs, false), `upquorum=${secret}; Path=/; Max-Age=43200; ${attributes}`);
  t.is(expiredCookie(false), `upquorum=; Path=/; Max-Age=0; ${attributes}`);
  t.is(expiredCookie(true), `__Host-upquorum=; Path=/; Max-Age=0; ${attributes}; Secure`);
});

test('each secret has its own CSRF token, which does not reveal it', t => {
  t.is(csrfOf(secret), csrfOf(secret));
  t.not(csrfOf(secret), csrfOf(newBearer('ups')));
  t.false(csrfOf(secret).includes(secret.slice(4, 12)));
});
