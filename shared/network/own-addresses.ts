import { networkInterfaces } from 'node:os';
import { plainAddress } from './guard.ts';

const rereadAfterMs = 5000;

/** Returns the addresses of this host's interfaces, read again after five seconds: they come and go. */
export function watchOwnAddresses(read = networkInterfaces, now = () => performance.now()): () => ReadonlySet<string> {
  let addresses: ReadonlySet<string> = new Set();
  let readMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (now() - readMs > rereadAfterMs) {
      readMs = now();
      const entries = Object.values(read()).flatMap(list => list ?? []);
      addresses = new Set(entries.map(({ address }) => plainAddress(address.replace(/%.*/, ''))));
    }
    return addresses;
  };
}
