import { Problem } from '../../platform/http/problem.ts';
import type { PersonRow } from './person.ts';

/** What of the settings decides how people can sign in. */
export type WaysIn = { methods: readonly string[]; oidc: { issuer: string } | null };

/**
 * Throws `last_credential` if somebody could not sign in any more without a passkey, or without an account at an
 * issuer. What signs nobody in, because its method is off or its provider another one, can always go.
 */
export function requireOtherWay(
  { passkeys, identities, email_verified }: Pick<PersonRow, 'passkeys' | 'identities' | 'email_verified'>,
  removed: { passkey: true } | { issuer: string },
  { methods, oidc }: WaysIn,
): void {
  if (email_verified && methods.includes('email')) return;
  const isGood = (issuer: string) => methods.includes('oidc') && issuer === oidc?.issuer;
  const counted = methods.includes('passkey') ? passkeys : 0;
  const ways = counted + identities.filter(({ issuer }) => isGood(issuer)).length;
  const counts = 'passkey' in removed ? methods.includes('passkey') : isGood(removed.issuer);
  if (counts && ways === 1) throw new Problem('last_credential');
}
