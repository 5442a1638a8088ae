import type { DnsCheck } from '#shared/checks/check.ts';
import type { DnsFacts } from '#shared/checks/facts.ts';
import { isAllowed } from '#shared/network/guard.ts';
import { addTiming } from '../../attempt.ts';
import { hostAndPort } from '../../connect.ts';
import { BodyError } from '../../http/body-reader.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import { type KindAttempt, type KindProbe, plainResponse } from '../kind.ts';
import { agreementOf } from './agreement.ts';
import type { Answer, AskOptions } from './answer.ts';
import { ask } from './ask.ts';
import { dataOf, factsWithin } from './dns-facts.ts';
import { dnsFailure } from './failure.ts';
import { findMain, findOthers, type MainServer } from './servers.ts';
import { typeNumber } from './types.ts';

/** Asks a name server, and those that must agree with it, and demands a record of the type, or what is asserted. */
export const probeDns: KindProbe<DnsCheck> = async (check, attempt) => {
  const main = await findMain(check, attempt);
  const others = await findOthers(check, attempt);
  const stopping = new AbortController();
  try {
    const agreements = others.map(async ({ label, endpoints }) => {
      const options = optionsFor(attempt, stopping.signal);
      return { label, answer: await ask(check, endpoints, options).catch(() => null) };
    });
    const answer = await askMain(check, main, attempt, stopping.signal);
    const type = typeNumber(check.type);
    const servers = (await Promise.all(agreements)).map(other => agreementOf(answer.message, other, type));
    const { address, port } = answer.endpoint;
    noteAnswer(check, answer, { server: main.own ? hostAndPort(address, port) : main.label, servers }, attempt);
    return answer.atMs;
  } finally {
    stopping.abort();
  }
};

/** Notes in the outcome where and when it asked, and whether there was an answer. */
async function askMain(check: DnsCheck, main: MainServer, attempt: KindAttempt, signal: AbortSignal): Promise<Answer> {
  const { outcome, tools } = attempt;
  Object.assign(outcome, { phase: 'request', host: main.label, remoteIp: main.endpoints[0]?.address ?? null });
  const options = optionsFor(attempt, signal);
  const startedMs = performance.now();
  try {
    // The agent's own servers are its operator's choice.
    const answer = await ask(check, main.endpoints, main.own ? { ...options, isAllowed: () => true } : options);
    tools.health.noteReached();
    Object.assign(outcome, { beganMs: startedMs, remoteIp: answer.endpoint.address, bytes: answer.bytes });
    addTiming(outcome.timings, 'dns_ms', answer.atMs - startedMs);
    return answer;
  } catch (error) {
    throw dnsFailure(error, main, attempt);
  }
}

function optionsFor({ tools, deadline, takeBytes }: KindAttempt, signal: AbortSignal): AskOptions {
  return {
    limitMs: Math.max(0, deadline.leftMs),
    isAllowed: address => isAllowed(address, tools.policy),
    source: tools.source,
    takeBytes,
    eventMs: () => tools.standStill.eventMs(),
    signal,
  };
}

function noteAnswer(
  { type }: DnsCheck,
  { message }: Answer,
  about: Pick<DnsFacts, 'server' | 'servers'>,
  { outcome, assertions, takeBytes }: KindAttempt,
): void {
  const records = dataOf(message, typeNumber(type));
  if (!takeBytes(records.reduce((sum, data) => sum + data.length, 0))) throw new BodyError('ENOROOM');
  const dns = factsWithin(message, typeNumber(type), about);
  outcome.facts = { dns };
  outcome.phase = 'answer';
  const isAsserted = assertions.some(assertion => assertion.type === 'dns_rcode');
  if (!isAsserted && message.rcode !== 'NOERROR') throw new ProbeRefusal('no_record', message.rcode);
  if (!isAsserted && records.length === 0) throw new ProbeRefusal('no_record', `no record of type ${type}`);
  const lines = dns.answers.map(record => `${record.name} ${record.ttl} ${record.type} ${record.data}\n`);
  outcome.response = plainResponse({ bodyText: lines.join(''), facts: outcome.facts, records });
}
