import type { ProbeOutcome, ProbeTools } from '#agent/probe/attempt.ts';
import type { TakeBytes } from '#agent/probe/http/body-reader.ts';
import type { Examine, Judge } from '#agent/probe/kinds/kind.ts';
import { probeKind } from '#agent/probe/kinds/kinds.ts';
import { NetworkHealth } from '#agent/probe/network-health.ts';
import { type ProbeRequest, probe } from '#agent/probe/probe-http.ts';
import { StandStillWatch } from '#agent/probe/stand-still.ts';
import { createTrust } from '#agent/probe/trust.ts';
import type { Assertion } from '#shared/assertions/assertion.ts';
import { unmetered } from '#shared/assertions/budget.ts';
import { evaluate } from '#shared/assertions/evaluate.ts';
import { type SelectNodes, selectValues } from '#shared/assertions/json-path.ts';
import type { Check } from '#shared/checks/check.ts';
import type { WireEgress } from '#shared/checks/egress.ts';
import type { Step } from '#shared/checks/steps.ts';
import { systemClock } from '#shared/clock.ts';
import { parseRange } from '#shared/network/guard.ts';
import { HostsFile } from '#shared/network/hosts-file.ts';
import { type DnsQuery, Resolver } from '#shared/network/resolver.ts';

/** The names a test resolver can resolve, each with the addresses of its successive answers. */
export type Names = Record<string, string[][]>;

/** A resolver for the given names only: no server, no hosts file, no caching. */
export function namesResolver(names: Names): Resolver {
  const queries = new Map<string, number>();
  const query: DnsQuery = async (name, family) => {
    const answers = names[name];
    if (answers === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const index = queries.get(`${family} ${name}`) ?? 0;
    queries.set(`${family} ${name}`, index + 1);
    const addresses = answers[Math.min(index, answers.length - 1)] ?? [];
    return addresses.flatMap(address => (address.includes(':') === (family === 6) ? { address, ttl: 0 } : []));
  };
  return new Resolver(query, new HostsFile('/dev/null'));
}

/** Tools of a probe that may connect to this host and trusts the authority in the file, if given. */
export function probeTools(changes: Partial<ProbeTools> = {}, authorityFile: string | null = null): ProbeTools {
  return {
    resolver: namesResolver({}),
    trust: createTrust(authorityFile),
    policy: { base: 'loopback', allow: [] },
    health: new NetworkHealth(),
    clock: systemClock,
    standStill: new StandStillWatch(),
    ping: null,
    checkServers: [],
    ...changes,
  };
}

/** Parses a range; throws if malformed. */
export function range(text: string) {
  const parsed = parseRange(text);
  if (parsed === null) throw new Error(`${text} is not a range`);
  return parsed;
}

/** Probes once: a GET with defaults, apart from the changes. */
export function probeOnce(
  request: Partial<ProbeRequest> & { url: string },
  tools: ProbeTools = probeTools(),
): Promise<ProbeOutcome> {
  const defaults = {
    method: 'GET',
    headers: {},
    body: null,
    timeoutMs: 20_000,
    followRedirects: true,
    takeBytes: () => true,
  } as const;
  return probe({ ...defaults, ...request }, tools);
}

const selectHere: SelectNodes = async (path, { value }) => selectValues(path, value);

/** What steps look at their answers with: without limits. */
const examine: Examine = {
  select: selectHere,
  decideApart: null,
  reserve: () => ({ take: () => true, [Symbol.dispose]: () => undefined }),
  shows: false,
  tokensFor: () => undefined,
};

/** Makes one attempt of a check that is no HTTP request. */
export function probeKindOnce(
  check: Check,
  tools: ProbeTools = probeTools(),
  {
    timeoutMs = 20_000,
    assertions = [] as Assertion[],
    takeBytes = (() => true) as TakeBytes,
    headers = {},
    egress,
  }: {
    timeoutMs?: number;
    assertions?: Assertion[];
    takeBytes?: TakeBytes;
    headers?: Record<string, string>;
    egress?: WireEgress | undefined;
  } = {},
): Promise<ProbeOutcome> {
  const judge: Judge = (ofMessage, response, budget) =>
    evaluate(ofMessage, response, selectHere, null, unmetered, undefined, budget);
  const looking = { cpu: unmetered, judge, examine };
  return probeKind(check, { timeout_ms: timeoutMs, assertions, headers, egress }, takeBytes, tools, looking);
}

/** A step that asks for a page, apart from the changes. */
export function stepOf(changes: Partial<Step> & { url: string }): Step {
  const request = { name: 'a step', method: 'GET', headers: {}, body: null, follow_redirects: true } as const;
  return { ...request, assertions: [], extract: [], always: false, timeout_ms: null, ...changes };
}
