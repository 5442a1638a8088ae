import { hash } from 'node:crypto';

/**
 * The number under which funnels count a user: 53 bits of SHA-256 of the user id, or of the session id if there is no
 * user; null without both. 53 bits fit a safe integer; among a million users the chance that any two collide is 1 in
 * 18,000.
 */
export function actorOf(externalUserId: string | null, sessionId: string | null): number | null {
  if (externalUserId !== null) return hashOf(`u ${externalUserId}`);
  return sessionId === null ? null : hashOf(`s ${sessionId}`);
}

function hashOf(text: string): number {
  const digest = hash('sha256', text, 'buffer');
  return digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) >> 3);
}
