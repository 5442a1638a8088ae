import { hash } from 'node:crypto';

/**
 * Whom a funnel counts: 53 bits of SHA-256 of the user, or of the session where no user is named; null without both.
 * 53 bits are a safe integer everywhere; among a million users the chance that any two share one is 1 in 18,000.
 */
export function actorOf(externalUserId: string | null, sessionId: string | null): number | null {
  if (externalUserId !== null) return hashOf(`u ${externalUserId}`);
  return sessionId === null ? null : hashOf(`s ${sessionId}`);
}

function hashOf(text: string): number {
  const digest = hash('sha256', text, 'buffer');
  return digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) >> 3);
}
