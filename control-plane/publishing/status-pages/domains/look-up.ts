import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { errorCode } from '#shared/error-code.ts';
import type { Look } from './decide.ts';
import { type DomainRow, hostOfUrl, proofOf } from './domain.ts';

const timeoutMs = 5000;
const triesMax = 3;

/** Asks name servers what they say of a domain. Never rejects. */
export type LookUp = (row: Pick<DomainRow, 'domain' | 'token'>) => Promise<Look>;

/** By these name servers, or those of the machine, which are read anew each time. */
export function createLookUp(servers: readonly string[], baseUrl: string): LookUp {
  return async row => {
    const target = hostOfUrl(baseUrl);
    const resolver = new Resolver({ timeout: timeoutMs, tries: triesMax, maxTimeout: timeoutMs });
    if (servers.length > 0) resolver.setServers(servers);
    const [proof, pointsHere] = await Promise.all([findProof(resolver, row), leadsTo(resolver, row.domain, target)]);
    return { ...proof, pointsHere };
  };
}

async function findProof(
  resolver: Resolver,
  row: Pick<DomainRow, 'domain' | 'token'>,
): Promise<Pick<Look, 'values' | 'error'>> {
  const { name, value } = proofOf(row);
  try {
    const values = (await resolver.resolveTxt(name)).map(parts => parts.join(''));
    const isFound = values.includes(value);
    return { values, error: isFound ? null : `${name} has TXT records, but none with this value` };
  } catch (error) {
    const code = errorCode(error) ?? 'EUNKNOWN';
    if (code === 'ENOTFOUND' || code === 'ENODATA') return { values: [], error: `${name} has no TXT record` };
    return { values: null, error: `the name servers gave no answer about ${name} (${code})` };
  }
}

/** Whether a name has an address of the other; null if the name servers do not say. */
async function leadsTo(resolver: Resolver, domain: string, target: string): Promise<boolean | null> {
  const [own, wanted] = await Promise.all([addressesOf(resolver, domain), addressesOf(resolver, target)]);
  // The installation may be known to its own network alone.
  if (own === null || wanted === null || wanted.length === 0) return null;
  return own.some(address => wanted.includes(address));
}

async function addressesOf(resolver: Resolver, name: string): Promise<string[] | null> {
  if (isIP(name) !== 0) return [name];
  const [four, six] = await Promise.all([
    resolver.resolve4(name).catch(noAddress),
    resolver.resolve6(name).catch(noAddress),
  ]);
  return four === null || six === null ? null : [...four, ...six];
}

function noAddress(error: unknown): [] | null {
  const code = errorCode(error);
  return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : null;
}
