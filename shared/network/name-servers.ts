import { Resolver as DnsResolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { errorCode } from '../error-code.ts';
import { type DnsQuery, Resolver } from './resolver.ts';

const recreateAfterMs = 30_000;

/** A resolver that asks the given name servers, or those of the host if there are none. */
export function resolverOf(servers: readonly string[]): Resolver {
  return new Resolver(queryNameServers(servers));
}

/**
 * Queries the given name servers, or those of the host if there are none. c-ares reads resolv.conf only once, so a
 * resolver that stays silent is recreated, at most every 30 s. The empty name queries the root.
 */
export function queryNameServers(servers: readonly string[]): DnsQuery {
  let resolver = createResolver(servers);
  let createdMs = performance.now();
  return async (name, family) => {
    try {
      if (name === '') return (await resolver.resolveNs('.')).map(() => ({ address: '', ttl: 0 }));
      return await (family === 4 ? resolver.resolve4(name, { ttl: true }) : resolver.resolve6(name, { ttl: true }));
    } catch (error) {
      const silent = ['ETIMEOUT', 'ECONNREFUSED'].includes(errorCode(error) ?? 'EUNKNOWN');
      if (silent && performance.now() - createdMs > recreateAfterMs) {
        resolver = createResolver(servers);
        createdMs = performance.now();
      }
      throw error;
    }
  };
}

/** Checks that the text is an IP address, with or without a port, and returns it; null if it is not. */
export function parseServer(text: string): string | null {
  const host = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+)(?::\d+)?$/.exec(text)?.[1] ?? text;
  return isIP(host) === 0 ? null : text;
}

function createResolver(servers: readonly string[]): DnsResolver {
  const resolver = new DnsResolver({ timeout: 2000, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}
