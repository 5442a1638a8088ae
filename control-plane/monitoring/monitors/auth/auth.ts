import { z } from 'zod';
import { bytesAtMost } from '../../../platform/http/bytes-at-most.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import { type Oauth2Settings, oauth2Schema } from './oauth2.ts';

const printable = /^[^\p{Cc}]*$/u;
/** What may stand behind `Bearer`, RFC 6750 and a little more. */
const token = /^[\x21-\x7e]*$/;

/** The user name of HTTP Basic. */
export const usernameSchema = bytesAtMost(255).regex(
  /^[^\p{Cc}:]*$/u,
  'must not contain a colon or control characters',
);
/** The secret of HTTP Basic. */
export const passwordSchema = bytesAtMost(1024).regex(printable, 'must not contain control characters');
/** The secret of a bearer. */
export const tokenSchema = z.string().min(1).max(8192).regex(token, 'must be visible ASCII without blanks');

const basic = z.object({
  type: z.literal('basic'),
  username: usernameSchema.describe('User name of HTTP Basic.'),
  password: passwordSchema.describe('Password of HTTP Basic; always shown as `"********"`.'),
});
const bearer = z.object({
  type: z.literal('bearer'),
  token: tokenSchema.describe('Token that is sent as `Bearer`; always shown as `"********"`.'),
});

/** How checks sign in at their target: sent as `Authorization`. */
export const authSchema = z.discriminatedUnion('type', [basic, bearer, oauth2Schema]).meta({ title: 'Auth' });
export type AuthSettings = z.output<typeof authSchema>;
/** What is only a header, which the control plane makes. */
export type HeaderAuth = Exclude<AuthSettings, Oauth2Settings>;

/** The value of `Authorization`, RFC 7617 in UTF-8 and RFC 6750. */
export function authorizationOf(auth: HeaderAuth): string {
  if (auth.type === 'bearer') return `Bearer ${auth.token}`;
  return `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
}

/** Headers, or metadata in lower case, with what `auth` adds to them; a token is fetched by agents. */
export function withAuthorization(
  headers: Record<string, string>,
  auth: AuthSettings | null | undefined,
  name: 'Authorization' | 'authorization' = 'Authorization',
): Record<string, string> {
  return auth == null || auth.type === 'oauth2' ? headers : { ...headers, [name]: authorizationOf(auth) };
}

/** Pure: why a monitor cannot have `auth`: its kind does not take it, or it sends the header already. */
export function authErrors(
  auth: AuthSettings | null | undefined,
  names: readonly string[],
  { takesAuth, kind, pointer = '/auth' }: { takesAuth: boolean; kind: string; pointer?: string },
): FieldError[] {
  const refuse = (detail: string): FieldError[] => [{ pointer, code: 'not_allowed', detail }];
  if (auth == null) return [];
  if (!takesAuth) return refuse(`is not of monitors of kind ${kind}`);
  const hasHeader = names.some(name => name.toLowerCase() === 'authorization');
  return hasHeader ? refuse('must be null, as there is a header Authorization already') : [];
}

/** What is secret of a header; null without one. */
export function authSecretOf(auth: AuthSettings | null | undefined): string | null {
  if (auth == null || auth.type === 'oauth2') return null;
  return auth.type === 'basic' ? auth.password : auth.token;
}

/** The same with another secret: as it is stored, without one. Client credentials are sealed as a whole elsewhere. */
export function withAuthSecret(auth: AuthSettings | null | undefined, secret: string): HeaderAuth | null {
  if (auth == null || auth.type === 'oauth2') return null;
  return auth.type === 'basic' ? { ...auth, password: secret } : { ...auth, token: secret };
}

/** `auth` of a row with what was sealed of it. */
export function readAuth(
  auth: HeaderAuth | null,
  { authSecret, oauth2 }: { authSecret?: string | null; oauth2?: Oauth2Settings | null },
): AuthSettings | null {
  return oauth2 ?? withAuthSecret(auth, authSecret ?? '');
}
