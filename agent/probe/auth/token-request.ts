import type { Token } from './token-cache.ts';

/** Client credentials of RFC 6749, as the agent gets them: secrets are in clear. */
export type ClientCredentials = Readonly<{
  token_url: string;
  client_id: string;
  client_secret: string;
  scopes: readonly string[];
  audience: string | null;
  client_auth: 'header' | 'body';
}>;

export const answerBytesMax = 65_536;
const tokenLengthMax = 8192;
const visible = /^[\x21-\x7e]+$/;

/** Pure: headers and body of the request for a token (RFC 6749 §4.4 and §2.3.1). */
export function tokenRequest(auth: ClientCredentials): { headers: Record<string, string>; body: string } {
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
    const pair = `${formEncoded(client_id)}:${formEncoded(client_secret)}`;
    headers.Authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return { headers, body: form.toString() };
}

/** Pure: the token of an answer, or what is wrong with it in words that quote nothing of it. */
export function tokenOf(statusCode: number, body: string, bytes: number): Token | string {
  if (statusCode < 200 || statusCode > 299) return `the token endpoint answered ${statusCode}`;
  if (bytes > answerBytesMax) return 'the answer of the token endpoint is larger than 64 KiB';
  const { access_token: value, token_type: type, expires_in: lifetime } = Object(parsed(body));
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
