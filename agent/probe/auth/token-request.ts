import type { WireAuth } from '#shared/checks/auth.ts';
import type { Token } from './token-cache.ts';

export const answerBytesMax = 65_536;
export const tooLarge = 'the answer of the token endpoint is larger than 64 KiB';
const tokenLengthMax = 8192;
/** Of RFC 6749 §5.2. */
const errors: readonly unknown[] = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
];
const visible = /^[\x21-\x7e]+$/;

/** Pure: headers and body of the request for a token (RFC 6749 §4.4 and §2.3.1). */
export function tokenRequest(auth: WireAuth): { headers: Record<string, string>; body: string } {
  const { client_id, client_secret, scopes, audience, client_auth } = auth;
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scopes.length > 0) form.set('scope', scopes.join(' '));
  if (audience !== null) form.set('audience', audience);
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  if (client_auth === 'body') {
    form.set('client_id', client_id);
    form.set('client_secret', client_secret);
  } else {
    headers.Authorization = `Basic ${basicOf(auth)}`;
  }
  return { headers, body: form.toString() };
}

/** What nobody may be shown: endpoints and targets may quote what they were sent. */
export function secretsOfAuth(auth: WireAuth | undefined): string[] {
  return auth === undefined ? [] : [auth.client_secret, basicOf(auth)];
}

function basicOf({ client_id, client_secret }: WireAuth): string {
  return Buffer.from(`${formEncoded(client_id)}:${formEncoded(client_secret)}`).toString('base64');
}

/** Pure: the token of an answer, or what is wrong with it in words that quote nothing of it. */
export function tokenOf(statusCode: number, body: string, bytes: number): Token | string {
  if (bytes > answerBytesMax) return tooLarge;
  const { access_token: value, token_type: type, expires_in: lifetime, error } = Object(parsed(body));
  if (statusCode < 200 || statusCode > 299)
    return `the token endpoint answered ${statusCode}${errors.includes(error) ? ` (${error})` : ''}`;
  if (typeof value !== 'string' || value.length > tokenLengthMax || !visible.test(value))
    return 'the answer of the token endpoint has no access token';
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    return 'the token endpoint gave a token that is no bearer';
  // Some servers give the number as text.
  const seconds = typeof lifetime === 'number' || typeof lifetime === 'string' ? Number(lifetime) : Number.NaN;
  return { value, lifetimeS: Number.isFinite(seconds) ? seconds : null };
}

/** As in the body of a form, which RFC 6749 asks for before the pair is joined. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
