import type { AddressFacts } from '../checks/addresses.ts';
import type { DnsFacts, GrpcFacts, PingFacts } from '../checks/facts.ts';
import { describeFailure } from '../checks/failure-words.ts';
import type { SpokenVersion } from '../checks/vocabulary.ts';
import type { Assertion } from './assertion.ts';
import type { Budget } from './budget.ts';
import { decideTexts } from './decide-values.ts';
import { type Decision, notSupported, tooExpensive, undecided } from './decision.ts';
import { tlsVersions } from './of-kinds.ts';

type Of<Type extends Assertion['type']> = Extract<Assertion, { type: Type }>;

/** `isDelayed`: the agent itself stood still, so that the time is not the target's. */
export function decideLatency({ operator, value_ms }: Of<'latency'>, latencyMs: number, isDelayed: boolean): Decision {
  if (isDelayed) return { passed: null, actual: undefined, skipped: 'agent_delayed' };
  return limit(operator, latencyMs, value_ms, ' ms');
}

/** Undecided where it is not known: of results of agents before 0.9.0. */
export function decideHttpVersion({ operator, value }: Of<'http_version'>, version: SpokenVersion | null): Decision {
  if (version === null) return undecided(notSupported);
  const found = Array.isArray(value) ? value.includes(version) : value === version;
  return { passed: found === (operator !== 'neq'), actual: `HTTP/${version}` };
}

export function decideTlsVersion({ operator, value }: Of<'tls_version'>, protocol: string | null): Decision {
  const actual = protocol ?? undefined;
  if (protocol === null) return { passed: false, actual: 'no TLS' };
  if (Array.isArray(value)) return { passed: (value as readonly string[]).includes(protocol), actual };
  if (operator === 'eq') return { passed: protocol === value, actual };
  const rank = (version: string) => (tlsVersions as readonly string[]).indexOf(version);
  return { passed: rank(protocol) >= rank(value), actual };
}

export function decideRcode({ operator, value }: Of<'dns_rcode'>, dns: DnsFacts | null): Decision {
  if (dns === null) return undecided(notSupported);
  const found = Array.isArray(value) ? value.includes(dns.rcode) : value === dns.rcode;
  return { passed: found === (operator === 'eq' || operator === 'in'), actual: dns.rcode };
}

/** Of the type that was asked for: a positive operator holds for one record, a negative one for all. */
export function decideRecord(
  { operator, value }: Of<'dns_record'>,
  records: readonly string[],
  budget: Budget,
): Decision {
  if (budget.steps <= 0) return tooExpensive;
  const actual = records.length === 0 ? 'no record' : records.slice(0, 20).join(', ');
  return decideTexts(operator, value, records, actual, budget);
}

export function decideAgree(dns: DnsFacts | null): Decision {
  if (dns === null) return undecided(notSupported);
  const others = dns.servers
    .filter(({ agrees }) => !agrees)
    .map(({ server, rcode }) => `${server} ${rcode ?? 'silent'}`);
  return { passed: others.length === 0, actual: others.length === 0 ? 'all agree' : others.join(', ') };
}

export function decideLoss({ operator, value }: Of<'packet_loss'>, ping: PingFacts | null): Decision {
  if (ping === null || ping.sent === 0) return undecided(notSupported);
  return limit(operator, 1 - ping.received / ping.sent, value, '');
}

/** With fewer than two replies there is no jitter, so that nothing is asserted. */
export function decideJitter({ operator, value_ms }: Of<'jitter'>, ping: PingFacts | null): Decision {
  if (ping === null) return undecided(notSupported);
  if (ping.jitter_ms === null) return { passed: null, actual: undefined, skipped: 'too_few_replies' };
  return limit(operator, ping.jitter_ms, value_ms, ' ms');
}

/** A word is what the service says, a number the status code of gRPC. */
export function decideGrpcStatus({ operator, value }: Of<'grpc_status'>, grpc: GrpcFacts | null): Decision {
  if (grpc === null) return undecided(notSupported);
  const { status, code } = grpc;
  const found = [value].flat().some(one => one === (typeof one === 'number' ? code : status));
  return { passed: found === (operator === 'eq' || operator === 'in'), actual: status ?? `code ${code}` };
}

/** Undecided before the first round over all addresses of the name. */
export function decideAddresses({ operator, value = 1 }: Of<'addresses'>, addresses: AddressFacts | null): Decision {
  if (addresses === null) return { passed: null, actual: undefined, skipped: 'no_round' };
  const { answering, total, list } = addresses;
  const failing = list
    .filter(({ ok }) => !ok)
    .map(({ address, error_code: code }) => `${address}: ${code === null ? 'no answer' : describeFailure(code)}`);
  const actual = [`${answering} of ${total} answer`, ...failing].join('; ');
  return { passed: operator === 'all' ? answering === total : answering >= value, actual };
}

/** Without a start the length of the run is not known, so that nothing is asserted. */
export function decideRun({ operator, value }: Of<'run_seconds'>, seconds: number | null): Decision {
  if (seconds === null) return { passed: null, actual: undefined, skipped: 'no_start' };
  if (operator === 'lt' || operator === 'lte') return limit(operator, seconds, value, ' s');
  return { passed: operator === 'gt' ? seconds > value : seconds >= value, actual: `${seconds} s` };
}

/** Whether a value that was measured is as it is to be. */
export function holdsMeasured({ operator, value }: Of<'measured'>, measured: number): boolean {
  switch (operator) {
    case 'lt':
      return measured < value;
    case 'lte':
      return measured <= value;
    case 'gt':
      return measured > value;
    default:
      return measured >= value;
  }
}

function limit(operator: 'lt' | 'lte', actual: number, max: number, unit: string): Decision {
  const passed = operator === 'lt' ? actual < max : actual <= max;
  return { passed, actual: `${Math.round(actual * 1000) / 1000}${unit}` };
}
