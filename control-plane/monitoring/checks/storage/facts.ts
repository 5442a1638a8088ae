import type { StoredResult, Timings } from '#shared/check-result.ts';
import type { AddressFacts } from '#shared/checks/addresses.ts';
import type { DiagnosisFacts } from '#shared/checks/diagnosis.ts';
import {
  type ClientCertificate,
  type DnsFacts,
  type DomainFacts,
  type GrpcFacts,
  type MeasuredFacts,
  type PingFacts,
  type SignalFacts,
  type StoredFacts,
  signalSources,
  signalTypes,
  type WebsocketFacts,
} from '#shared/checks/facts.ts';
import type { StepFacts } from '#shared/checks/step-facts.ts';
import type { SpokenVersion } from '#shared/checks/vocabulary.ts';
import { packTimes, unpackTimes } from './packed-times.ts';
import { type CommonStep, commonSteps, joinSteps, packSteps } from './step-figures.ts';

type Address = AddressFacts['list'][number];
type Answer = DnsFacts['answers'][number];

/** What of the facts repeats from check to check: it is part of the template. */
export type CommonFacts = {
  dns?: Omit<DnsFacts, 'answers'> & { answers: Omit<Answer, 'ttl'>[] };
  grpc?: GrpcFacts;
  websocket?: Omit<WebsocketFacts, 'messages'>;
  steps?: (StepFacts | CommonStep)[];
  diagnosis?: DiagnosisFacts;
  domain?: DomainFacts;
  http_version?: SpokenVersion;
  addresses?: Omit<Address, 'ms'>[];
  client_certificate?: ClientCertificate;
};

/**
 * What differs each time: it stands in the row. Of a ping: sent, received, min, avg, max and jitter. Of a signal: the
 * indexes of its type and source, exit code, seconds of the run and the sender's ID of it. Of events: value, sample and
 * base. Of addresses: when they were reached, and the milliseconds of each, those of many in `reached`. Of many records
 * the last TTL stands for all that follow: records of a name and type have the same. Version 0.14.0 reads 0 and null of
 * what it does not find.
 */
export type OwnFacts = {
  ttl?: number[];
  ping?: (number | null)[];
  starttls?: number;
  proxy?: number;
  auth?: number;
  messages?: number;
  signal?: [type: number, source: number, exitCode: number | null, runSeconds: number | null, rid: string | null];
  steps?: string;
  measured?: [value: number | null, sample: number | null, base: number | null];
  addresses?: (number | null)[];
  reached?: string;
};

/** From how many on they are stored shorter than 0.14.0 did, to stay within 150 bytes. */
const many = { records: 17, addresses: 9 } as const;

const isEmpty = (value: object) => Object.keys(value).length === 0;

/** Undefined where there is nothing. */
export function commonFactsOf({ facts }: Pick<StoredResult, 'facts'>): CommonFacts | undefined {
  if (facts === undefined) return undefined;
  const { dns, grpc, websocket, steps, diagnosis, domain, http_version, addresses, client_certificate } = facts;
  const common: CommonFacts = {
    ...(dns === undefined ? {} : { dns: { ...dns, answers: dns.answers.map(({ ttl: _, ...answer }) => answer) } }),
    ...(grpc === undefined ? {} : { grpc }),
    ...(websocket === undefined ? {} : { websocket: { subprotocol: websocket.subprotocol } }),
    ...(steps === undefined ? {} : { steps: commonSteps(steps, packSteps(steps)) }),
    ...(diagnosis === undefined ? {} : { diagnosis }),
    ...(domain === undefined ? {} : { domain }),
    ...(http_version === undefined ? {} : { http_version }),
    ...(addresses === undefined ? {} : { addresses: addresses.list.map(({ ms: _, ...address }) => address) }),
    ...(client_certificate === undefined ? {} : { client_certificate }),
  };
  return isEmpty(common) ? undefined : common;
}

export function ownFactsOf({ facts, timings }: Pick<StoredResult, 'facts' | 'timings'>): OwnFacts | undefined {
  const { dns, ping, websocket, signal, steps, measured, addresses } = facts ?? {};
  const packed = steps === undefined ? null : packSteps(steps);
  const { starttls_ms: starttls, proxy_ms: proxy, auth_ms: auth } = timings ?? {};
  const own: OwnFacts = {
    ...(dns === undefined ? {} : { ttl: shortened(dns.answers.map(({ ttl }) => ttl)) }),
    ...(ping === undefined ? {} : { ping: numbersOf(ping) }),
    ...(starttls === undefined ? {} : { starttls }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(auth === undefined ? {} : { auth }),
    ...(websocket === undefined || websocket.messages === 0 ? {} : { messages: websocket.messages }),
    ...(signal === undefined ? {} : { signal: packSignal(signal) }),
    ...(packed === null ? {} : { steps: packed }),
    ...(measured === undefined ? {} : { measured: [measured.value, measured.sample, measured.base] }),
    ...(addresses === undefined ? {} : packAddresses(addresses)),
  };
  return isEmpty(own) ? undefined : own;
}

/** Puts them together again. */
export function joinFacts(common: CommonFacts | undefined, own: OwnFacts | undefined): StoredFacts | undefined {
  const { dns, grpc, websocket, steps, diagnosis, domain, http_version, addresses, client_certificate } = common ?? {};
  const facts: StoredFacts = {
    ...(dns === undefined
      ? {}
      : {
          dns: {
            server: dns.server,
            rcode: dns.rcode,
            answers: dns.answers.map(({ name, type, data }, index) => ({
              name,
              type,
              ttl: own?.ttl?.[index] ?? own?.ttl?.at(-1) ?? 0,
              data,
            })),
            truncated: dns.truncated,
            servers: dns.servers,
          },
        }),
    ...(own?.ping === undefined ? {} : { ping: pingOf(own.ping) }),
    ...(grpc === undefined ? {} : { grpc }),
    ...(websocket === undefined ? {} : { websocket: { ...websocket, messages: own?.messages ?? 0 } }),
    ...(own?.signal === undefined ? {} : { signal: unpackSignal(own.signal) }),
    ...(steps === undefined ? {} : { steps: joinSteps(steps, own?.steps) }),
    ...(own?.measured === undefined ? {} : { measured: measuredOf(own.measured) }),
    ...(diagnosis === undefined ? {} : { diagnosis }),
    ...(domain === undefined ? {} : { domain }),
    ...(http_version === undefined ? {} : { http_version }),
    ...(addresses === undefined ? {} : { addresses: addressesOf(addresses, own) }),
    ...(client_certificate === undefined ? {} : { client_certificate }),
  };
  return isEmpty(facts) ? undefined : facts;
}

export function joinTimings(timings: Timings | null, own: OwnFacts | undefined): Timings | null {
  const { starttls, proxy, auth } = own ?? {};
  if (timings === null || (starttls ?? proxy ?? auth) === undefined) return timings;
  return {
    ...timings,
    ...(starttls === undefined ? {} : { starttls_ms: starttls }),
    ...(proxy === undefined ? {} : { proxy_ms: proxy }),
    ...(auth === undefined ? {} : { auth_ms: auth }),
  };
}

function addressesOf(list: Omit<Address, 'ms'>[], own: OwnFacts = {}): AddressFacts {
  const [at, ...few] = own.addresses ?? [];
  const times = own.reached === undefined ? few : unpackTimes(own.reached);
  const answering = list.filter(({ ok }) => ok).length;
  const timed = list.map((address, index) => ({ ...address, ms: times[index] ?? null }));
  return { at: new Date(at ?? 0).toISOString(), total: list.length, answering, list: timed };
}

function packAddresses({ at, list }: AddressFacts): Pick<OwnFacts, 'addresses' | 'reached'> {
  const times = list.map(({ ms }) => ms);
  const reached = list.length < many.addresses ? null : packTimes(times);
  return reached === null ? { addresses: [Date.parse(at), ...times] } : { addresses: [Date.parse(at)], reached };
}

/** Without what repeats the last one. */
function shortened(ttls: number[]): number[] {
  if (ttls.length < many.records) return ttls;
  return ttls.slice(0, ttls.findLastIndex(ttl => ttl !== ttls.at(-1)) + 2);
}

function numbersOf({ sent, received, min_ms, avg_ms, max_ms, jitter_ms }: PingFacts): (number | null)[] {
  return [sent, received, min_ms, avg_ms, max_ms, jitter_ms];
}

function pingOf([sent, received, min_ms = null, avg_ms = null, max_ms = null, jitter_ms = null]: (
  | number
  | null
)[]): PingFacts {
  return { sent: sent ?? 0, received: received ?? 0, min_ms, avg_ms, max_ms, jitter_ms };
}

function measuredOf([value, sample, base]: NonNullable<OwnFacts['measured']>): MeasuredFacts {
  return { value, sample, base };
}

function packSignal({ type, source, exit_code, run_seconds, rid }: SignalFacts): NonNullable<OwnFacts['signal']> {
  return [signalTypes.indexOf(type), signalSources.indexOf(source), exit_code, run_seconds, rid];
}

function unpackSignal([type, source, exit_code, run_seconds, rid]: NonNullable<OwnFacts['signal']>): SignalFacts {
  return { type: signalTypes[type] ?? 'log', source: signalSources[source] ?? 'hb', exit_code, run_seconds, rid };
}
