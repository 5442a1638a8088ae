import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createTrustOf, type Trust } from '../trust.ts';

type Own = { ca?: string | undefined; pair?: { certificate: string; private_key: string } | undefined };

/** To read authorities takes milliseconds. Keys are hashes: no private key is kept as text. */
const known = new LRUCache<string, Trust>({ max: 200 });

/** Contexts with authorities or a client certificate of a monitor's own; without own authorities those of the agent. */
export function trustOf({ ca, pair }: Own, authorities: readonly string[] = []): Trust {
  const key = hash('sha256', JSON.stringify([ca, pair, ca === undefined ? authorities.length : 0]), 'base64');
  const found = known.get(key);
  if (found !== undefined) return found;
  const client = pair === undefined ? {} : { cert: pair.certificate, key: pair.private_key };
  const trust = createTrustOf(ca === undefined ? authorities : [ca], client);
  known.set(key, trust);
  return trust;
}
