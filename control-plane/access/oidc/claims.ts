import type { OidcSettings } from './settings.ts';

const subjectMax = 255;
const emailMax = 254;
const nameMax = 100;
const groupsMax = 1000;
const groupMax = 256;
const google = 'https://accounts.google.com';

/** What the provider says of somebody. */
export type Claims = {
  issuer: string;
  subject: string;
  /** The session at the provider, if it names one. */
  sid: string | null;
  email: string | null;
  /** Whether the email is theirs. */
  verified: boolean;
  name: string | null;
  groups: readonly string[];
  /** Whether there are more groups than the provider sent. */
  groupsIncomplete: boolean;
  /** The domain that admits; of Google the one that it vouches for. */
  domain: string | null;
};

/** Reads the claims of an ID token, with those of userinfo where it lacks them; null if nobody could be meant. */
export function readClaims(
  token: Readonly<Record<string, unknown>>,
  userinfo: Readonly<Record<string, unknown>> | null,
  settings: Pick<OidcSettings, 'groupsClaim' | 'trustEmail'>,
): Claims | null {
  const claim = (name: string) => token[name] ?? userinfo?.[name];
  const { iss: issuer, sub: subject } = token;
  if (typeof issuer !== 'string' || typeof subject !== 'string' || subject === '' || subject.length > subjectMax)
    return null;
  const email = textOf(claim('email'), emailMax);
  const proof = claim('email_verified');
  const isProven = proof === true || proof === 'true' || (settings.trustEmail && proof === undefined);
  const verified = email !== null && isProven;
  const hosted = textOf(claim('hd'), emailMax);
  const domain = issuer === google ? hosted : verified ? (email?.split('@').at(-1) ?? null) : null;
  return {
    issuer,
    subject,
    sid: textOf(token.sid, subjectMax),
    email: email === null ? null : lowerDomain(email),
    verified,
    name: textOf(claim('name'), nameMax) ?? textOf(claim('preferred_username'), nameMax),
    groups: groupsOf(claim(settings.groupsClaim)),
    groupsIncomplete: claim('hasgroups') !== undefined || namesClaim(claim('_claim_names'), settings.groupsClaim),
    domain: domain?.toLowerCase() ?? null,
  };
}

/** Whether the ID token lacks what userinfo may have. */
export function needsUserinfo(token: Readonly<Record<string, unknown>>, { groupsClaim }: OidcSettings): boolean {
  return ['email', 'name', groupsClaim].some(name => token[name] === undefined);
}

function textOf(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return null;
  const text = value.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return text === '' || text.length > max ? null : text;
}

function groupsOf(value: unknown): string[] {
  const groups = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  return groups
    .filter((group): group is string => typeof group === 'string' && group !== '' && group.length <= groupMax)
    .slice(0, groupsMax);
}

function namesClaim(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

function lowerDomain(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, at)}${email.slice(at).toLowerCase()}`;
}
