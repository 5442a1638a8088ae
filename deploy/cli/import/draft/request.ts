import type { Item } from '../imported.ts';
import type { Draft } from './draft.ts';
import { httpTarget } from './target.ts';
import type { Thing } from './thing.ts';
import { isReference, textOf } from './values.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const setByProbes = new Set([
  ...'connection content-length expect http2-settings keep-alive proxy-authenticate proxy-authorization'.split(' '),
  ...'proxy-connection te trailer transfer-encoding upgrade'.split(' '),
]);
const [headersMax, valueLengthMax, bodyBytesMax] = [50, 8192, 65_536];

/** A method that monitors have; GET for another one. */
export function methodFor(thing: Thing, given: string): string {
  const method = given.trim().toUpperCase() || 'GET';
  if (methods.includes(method)) return method;
  thing.changed('method', given, 'GET', `methods are ${methods.join(', ')}`);
  return 'GET';
}

/** The headers that a check may send; `references` are values of the environment already. */
export function headersFor(draft: Draft, thing: Thing, key: string, given: Item): Item {
  const texts: Record<string, string> = {};
  const references: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(given)) {
    const folded = name.toLowerCase();
    const text = textOf(value);
    const why = !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/.test(name)
      ? 'this is no name of a header'
      : setByProbes.has(folded)
        ? 'checks set it themselves'
        : seen.has(folded) || seen.size === headersMax
          ? `it is there twice, or there are more than ${headersMax}`
          : text.length > valueLengthMax || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text)
            ? 'its value is too long, or has characters that headers do not have'
            : null;
    if (why !== null) {
      thing.dropped(`headers ${name.slice(0, 100)}`, null, why);
      continue;
    }
    seen.add(folded);
    if (isReference(value)) references[name] = value;
    else texts[name] = text;
  }
  return { ...draft.headers(['monitors', key, 'headers'], texts), ...references };
}

/** The body of a request, sealed; none where the method has none, or it is too long. */
export function bodyFor(draft: Draft, thing: Thing, key: string, method: string, given: unknown): Item {
  if (given === undefined || given === null || given === '') return {};
  if (method === 'GET' || method === 'HEAD') {
    thing.dropped('body', null, `${method} requests have no body here`);
    return {};
  }
  if (isReference(given)) return { body: given };
  const text = textOf(given);
  if (text === '') return {};
  if (Buffer.byteLength(text) > bodyBytesMax) {
    thing.dropped('body', null, `it is longer than ${bodyBytesMax} bytes`);
    return {};
  }
  return { body: draft.sealed(['monitors', key, 'body'], text) };
}

/** `auth` of HTTP Basic; a header of the same effect makes it needless. */
export function basicFor(draft: Draft, thing: Thing, key: string, username: string, password: string): Item {
  if (username === '' && password === '') return {};
  if (username.length > 255 || /[:\p{Cc}]/u.test(username) || password.length > 1024 || /\p{Cc}/u.test(password)) {
    thing.dropped('auth', null, 'the user name or the password has characters that are not sent here');
    return {};
  }
  const sealed = draft.sealed(['monitors', key, 'password'], password);
  return { auth: { type: 'basic', username, password: sealed } };
}

export function bearerFor(draft: Draft, thing: Thing, key: string, token: string): Item {
  if (/^[\x21-\x7e]{1,8192}$/.test(token))
    return { auth: { type: 'bearer', token: draft.sealed(['monitors', key, 'token'], token) } };
  thing.dropped('auth', null, 'the token has characters that are not sent here');
  return {};
}

type Client = {
  url: unknown;
  id: unknown;
  secret: unknown;
  scopes: readonly string[];
  audience?: string;
  isInBody?: boolean;
};

/** Signing in by client credentials of OAuth 2; null if a part is missing, or is not what monitors take. */
export function oauth2For(draft: Draft, key: string, given: Client): Item | null {
  const target = httpTarget(textOf(given.url));
  const [id, secret, audience] = [textOf(given.id), textOf(given.secret), given.audience ?? ''];
  const scopes = [...new Set(given.scopes)];
  const isText = (text: string, max: number) => /^[^\p{Cc}]+$/u.test(text) && Buffer.byteLength(text) <= max;
  const isSecret = isReference(given.secret) || isText(secret, 2048);
  const isScope = (scope: string) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope);
  if (typeof target === 'string' || target.username + target.password !== '' || !isText(id, 512) || !isSecret)
    return null;
  if (scopes.length > 20 || !scopes.every(isScope) || (audience !== '' && !isText(audience, 500))) return null;
  const sealed = isReference(given.secret) ? given.secret : draft.sealed(['monitors', key, 'client_secret'], secret);
  return {
    auth: {
      type: 'oauth2',
      token_url: target.url,
      client_id: id,
      client_secret: sealed,
      ...(scopes.length === 0 ? {} : { scopes }),
      ...(audience === '' ? {} : { audience }),
      ...(given.isInBody === true ? { client_auth: 'body' } : {}),
    },
  };
}
