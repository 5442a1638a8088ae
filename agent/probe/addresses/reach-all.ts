import type { Socket } from 'node:net';
import type { AddressFacts } from '#shared/checks/addresses.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { attemptWithin, type ProbeOutcome, type ProbeTools } from '../attempt.ts';
import { connect } from '../connect.ts';
import type { Deadline } from '../deadline.ts';
import { type Egress, egressOf } from '../egress/egress.ts';
import { connectHttp, targetOf } from '../http/connect-http.ts';
import { AddressTurn } from './address-turn.ts';

const atOnceMax = 4;
/** What part of the time limit of a check each address has. */
const part = 4;

export type Reached = AddressFacts['list'][number];
type Settings = Pick<Assignment, 'url' | 'check' | 'egress' | 'http_version' | 'timeout_ms'>;

/** The host and port that a monitor watches every address of. */
export function ownEndpoint({ url, check }: Pick<Assignment, 'url' | 'check'>): { host: string; port: number } | null {
  if (check === undefined) return targetOf(new URL(url));
  return 'port' in check ? check : null;
}

/** Connects to each address as the checks do, with their handshake, and sends nothing. */
export async function reachAll(
  addresses: readonly string[],
  settings: Settings,
  tools: ProbeTools,
  deadline: Deadline,
): Promise<Reached[]> {
  const reached: Reached[] = [];
  const waiting = [...addresses.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, address] = next;
      const limitMs = Math.max(0, Math.min(settings.timeout_ms / part, deadline.leftMs));
      reached[index] = await reachOne(address, settings, tools, limitMs);
    }
  };
  await Promise.all(Array.from({ length: atOnceMax }, work));
  return reached;
}

async function reachOne(address: string, settings: Settings, tools: ProbeTools, limitMs: number): Promise<Reached> {
  const egress = egressOf(tools.trust, settings.egress, ownEndpoint(settings), AddressTurn.to(address));
  const { error, latencyMs } = await attemptWithin(limitMs, tools, async (deadline, outcome) => {
    const socket = await open(settings, egress, tools, deadline, outcome);
    const openMs = performance.now();
    socket.on('error', () => undefined).destroy();
    return openMs;
  });
  const ms = error === null ? Math.round(latencyMs * 1000) / 1000 : null;
  return { address, ok: error === null, error_code: error?.code ?? null, ms };
}

async function open(
  { url, check, http_version: version = '1.1' }: Settings,
  egress: Egress,
  tools: ProbeTools,
  deadline: Deadline,
  outcome: ProbeOutcome,
): Promise<Socket> {
  if (check === undefined) return (await connectHttp(new URL(url), version, egress, tools, deadline, outcome)).socket;
  if (check.kind === 'tls') {
    const { openTls } = await import('../kinds/tls/probe-tls.ts');
    return openTls(check, { egress, tools, deadline, outcome });
  }
  if (!('port' in check)) throw new Error(`a check of kind ${check.kind} has no address`);
  const { host, port, kind } = check;
  const secure = kind !== 'tcp' && check.secure;
  const alpn = kind === 'grpc' ? 'h2' : undefined;
  return (await connect({ host, port, secure, alpn }, egress, tools, deadline, outcome)).socket;
}
