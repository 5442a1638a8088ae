import { z } from 'zod';
import { dayMs } from '#shared/duration.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';

const contentSchema = z.discriminatedUnion('purpose', [
  z.object({
    purpose: z.literal('acknowledge'),
    project: z.string(),
    group: z.string(),
    channel: z.string(),
    at: z.int(),
  }),
  z.object({ purpose: z.literal('confirm'), project: z.string(), address: z.string(), at: z.int() }),
]);

/** What a link in a message is for. `at` is when it was made. */
export type LinkContent = z.output<typeof contentSchema>;

const context = 'link in a message';
const validMs = 7 * dayMs;

/** The last part of a link's path: sealed, so that nothing has to be stored and nobody can make one. */
export function linkToken(content: LinkContent, keyring: Keyring): string {
  return Buffer.from(keyring.seal(JSON.stringify(content), context)).toString('base64url');
}

/** What a token says; null if it is none of ours. */
export function readLinkToken(token: string, keyring: Keyring): LinkContent | null {
  const sealed = Buffer.from(token, 'base64url');
  // Another spelling of the same bytes is not the link that we sent.
  if (token.length > 1000 || sealed.toString('base64url') !== token) return null;
  try {
    return contentSchema.parse(JSON.parse(keyring.open(sealed, context)));
  } catch {
    return null;
  }
}

export function isExpired({ at }: LinkContent, nowMs: number): boolean {
  return nowMs >= at + validMs;
}
