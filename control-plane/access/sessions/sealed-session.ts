import { z } from 'zod';
import type { Keyring } from '../../platform/secrets/keyring.ts';

/**
 * What versions up to 0.10 sealed into the cookie. Such sessions last to their end, `SESSION_HOURS` after they began;
 * the version after the next one need not know them.
 */
const sealedSchema = z.object({ token: z.string(), csrf: z.string(), expiresAt: z.number() });
export type SealedSession = z.infer<typeof sealedSchema>;

const context = 'dashboard session';

/** The session in a cookie of before; null if no key opens it, or if it has expired. */
export function openSealed(cookie: string, keyring: Keyring, nowMs: number): SealedSession | null {
  let text: string;
  try {
    text = keyring.open(Buffer.from(cookie, 'base64url'), context);
  } catch {
    return null;
  }
  const session = sealedSchema.parse(JSON.parse(text));
  return session.expiresAt > nowMs ? session : null;
}

/** The value of such a cookie. */
export function sealSession(session: SealedSession, keyring: Keyring): string {
  return Buffer.from(keyring.seal(JSON.stringify(session), context)).toString('base64url');
}
