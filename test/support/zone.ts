import { dnsAnswer, startDnsServer } from './dns-server.ts';

/** A name server on loopback whose records a test sets. Names that are not set do not exist. */
export async function startZone() {
  const txt = new Map<string, string[]>();
  const addresses = new Map<string, string>();
  /** Names for which it fails. */
  const failing = new Set<string>();
  const server = await startDnsServer(query => {
    const { name = '', type = 'A' } = query.packet.questions?.[0] ?? {};
    if (failing.has(name)) return [dnsAnswer(query, [], { rcode: 2 })];
    const [values, data] = [txt.get(name), addresses.get(name)];
    if (type === 'TXT' && values !== undefined)
      return [
        dnsAnswer(
          query,
          values.map(value => ({ type: 'TXT', name, ttl: 0, data: value })),
        ),
      ];
    if (data === undefined && values === undefined) return [dnsAnswer(query, [], { rcode: 3 })];
    return [dnsAnswer(query, type === 'A' && data !== undefined ? [{ type: 'A', name, ttl: 0, data }] : [])];
  });
  return {
    servers: [`${server.host}:${server.port}`],
    txt,
    addresses,
    failing,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
