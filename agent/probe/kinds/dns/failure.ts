import type { FailureSource } from '#shared/check-result.ts';
import { noteRefusal } from '../../connect.ts';
import { DialError } from '../../dial.ts';
import { BodyError } from '../../http/body-reader.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import type { KindAttempt } from '../kind.ts';
import { SilenceError } from './ask.ts';
import type { MainServer } from './servers.ts';
import { MessageError } from './wire-reader.ts';

/** What it means that a server gave no answer: the target's fault if it is the target, the resolver's if it is ours. */
export function dnsFailure(error: unknown, main: MainServer, { outcome, tools }: KindAttempt): unknown {
  if (error instanceof BodyError) return error;
  if (main.own) {
    outcome.phase = 'dns';
    return new ProbeRefusal('dns_failure', 'the agent’s DNS_CHECK_SERVERS gave no valid answer', 'resolver');
  }
  const { health } = tools;
  const address = outcome.remoteIp ?? '';
  outcome.phase = error instanceof DialError ? 'connect' : 'answer';
  if (error instanceof MessageError) return new ProbeRefusal('protocol_error', 'the answer is not valid DNS');
  if (error instanceof DialError) noteRefusal(error.code, main.label, address, health);
  if (!(error instanceof SilenceError)) return error;
  noteRefusal('ETIMEDOUT', main.label, address, health);
  const source: FailureSource = health.hasRoute(address) && !health.isLocalOutage() ? 'target' : 'probe';
  return new ProbeRefusal('timeout', 'the name server did not answer within the time limit', source);
}
