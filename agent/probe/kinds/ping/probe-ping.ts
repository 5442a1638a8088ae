import type { FailureSource } from '#shared/check-result.ts';
import type { PingCheck } from '#shared/checks/check.ts';
import { plainAddress } from '#shared/network/guard.ts';
import type { ProbeTools } from '../../attempt.ts';
import { allowedAddresses } from '../../connect.ts';
import { BodyError } from '../../http/body-reader.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import { type KindAttempt, type KindProbe, plainResponse } from '../kind.ts';
import { someAddresses } from '../some-addresses.ts';
import { readFigures, readReason } from './parse-ping.ts';
import { type PingOutput, runPing } from './run-ping.ts';
import { isForbidden } from './trial.ts';

/**
 * Sends packets to an allowed address, of a family that there is a route to if possible. One reply is enough; the
 * latency is the mean of all.
 */
export const probePing: KindProbe<PingCheck> = async ({ host, count }, attempt) => {
  const { egress, tools, deadline, outcome, takeBytes } = attempt;
  outcome.host = host;
  const addresses = await allowedAddresses(host, tools, deadline, outcome, egress.family);
  const allowed = await someAddresses(addresses, deadline, outcome);
  const address = plainAddress(allowed.find(candidate => tools.health.hasRoute(candidate)) ?? allowed[0] ?? '');
  outcome.remoteIp = address;
  outcome.phase = 'answer';
  const output = await pingOnce(address, count, attempt);
  if (!takeBytes(output.stdout.length)) throw new BodyError('ENOROOM');
  const ping = readFigures(output.stdout, count);
  outcome.facts = { ping };
  if (ping.avg_ms === null) throw noReply(output, ping.sent, { host, address }, tools);
  tools.health.noteReached();
  outcome.response = plainResponse({ bodyText: output.stdout, facts: outcome.facts });
  // Another process measured it, which goes on while this one stands still.
  outcome.beganMs = performance.now();
  return outcome.beganMs + ping.avg_ms;
};

async function pingOnce(address: string, count: number, attempt: KindAttempt): Promise<PingOutput> {
  const { ping } = attempt.tools;
  if (ping === null) throw new ProbeRefusal('no_reply', 'this agent cannot ping', 'probe');
  using permit = await ping.limit.take(attempt.lane, attempt.deadline.leftMs);
  if (permit === null) throw new ProbeRefusal('no_reply', 'this agent runs too many pings at this moment', 'probe');
  return await runPing(ping, address, count, Math.max(0, attempt.deadline.leftMs));
}

/** Whose fault it is that no reply came: what the host does not permit or cannot route is not the target's. */
function noReply(
  output: PingOutput,
  sent: number,
  { host, address }: { host: string; address: string },
  { health }: ProbeTools,
): ProbeRefusal {
  if (output.code !== null || isForbidden(output))
    return new ProbeRefusal('no_reply', 'this agent may not send packets', 'probe');
  const reason = readReason(output.stdout, output.stderr);
  if (!health.hasRoute(address)) return new ProbeRefusal('no_reply', reason ?? 'no route to the host', 'probe');
  if (/unreachable|no route to host/i.test(output.stderr)) health.noteUnreachable(host);
  else health.noteSilent(host);
  const source: FailureSource = health.isLocalOutage() ? 'probe' : 'target';
  return new ProbeRefusal('no_reply', reason ?? `no reply to ${sent} ${sent === 1 ? 'packet' : 'packets'}`, source);
}
