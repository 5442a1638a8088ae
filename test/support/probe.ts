import { NetworkHealth } from '#agent/network-health.ts';
import { type ProbeOutcome, type ProbeRequest, type ProbeTools, probe } from '#agent/probe-http.ts';
import { createTrust } from '#agent/trust.ts';
import { parseRange } from '#shared/network/guard.ts';
import { HostsFile } from '#shared/network/hosts-file.ts';
import { type AskServer, Resolver } from '#shared/network/resolver.ts';

/** Names a test's resolver knows, each with the addresses of its successive answers. */
export type Names = Record<string, string[][]>;

/** A resolver with names of its own: no server, no hosts file, and an answer is never kept. */
export function namesResolver(names: Names): Resolver {
  const asked = new Map<string, number>();
  const ask: AskServer = async (name, family) => {
    const answers = names[name];
    if (answers === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const place = asked.get(`${family} ${name}`) ?? 0;
    asked.set(`${family} ${name}`, place + 1);
    const addresses = answers[Math.min(place, answers.length - 1)] ?? [];
    return addresses.flatMap(address => (address.includes(':') === (family === 6) ? { address, ttl: 0 } : []));
  };
  return new Resolver(ask, new HostsFile('/dev/null'));
}

/** Tools of a probe that may reach this host and, with a certificate's authority file, trusts it. */
export function probeTools(changes: Partial<ProbeTools> = {}, authorityFile: string | null = null): ProbeTools {
  return {
    resolver: namesResolver({}),
    trust: createTrust(authorityFile),
    policy: { base: 'loopback', allow: [] },
    health: new NetworkHealth(),
    ...changes,
  };
}

export function range(text: string) {
  const parsed = parseRange(text);
  if (parsed === null) throw new Error(`${text} is no range`);
  return parsed;
}

/** One GET with all defaults but the changes. */
export function probeOnce(
  request: Partial<ProbeRequest> & { url: string },
  tools: ProbeTools = probeTools(),
): Promise<ProbeOutcome> {
  const defaults = {
    method: 'GET',
    headers: {},
    body: null,
    timeoutMs: 3000,
    followRedirects: true,
    wantsText: true,
  } as const;
  return probe({ ...defaults, ...request }, tools);
}
