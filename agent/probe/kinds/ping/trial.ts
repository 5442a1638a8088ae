import type { SourceAddresses } from '../../egress/source.ts';
import { readFigures, readReason } from './parse-ping.ts';
import { type PingOutput, type PingTools, runPing } from './run-ping.ts';

/** Whether this host can ping, and with which interval in seconds. */
type PingTrial = Pick<PingTools, 'interval'> | { reason: string };

const limitMs = 5000;
const [ownAddress, packets] = ['127.0.0.1', 1];

/** Pings this host itself, five times a second as a check does, or else once a second. */
export async function tryPing(path: string, source?: SourceAddresses): Promise<PingTrial> {
  const first = await runPing({ path, interval: '0.2', source }, ownAddress, packets, limitMs);
  if (hasReply(first)) return { interval: '0.2' };
  if (first.code === 'ENOENT') return { reason: 'not installed' };
  const second = await runPing({ path, interval: '1', source }, ownAddress, packets, limitMs);
  return hasReply(second) ? { interval: '1' } : { reason: reasonOf(second) };
}

/** True if the program says that it, or this user, may not send packets. */
export function isForbidden({ stderr, code }: PingOutput): boolean {
  return code === 'EACCES' || /not permitted|permission denied|are you root|cap_net_raw/i.test(stderr);
}

function hasReply({ stdout }: PingOutput): boolean {
  return readFigures(stdout, packets).received > 0;
}

function reasonOf(output: PingOutput): string {
  // A folder of PATH that this user may not read looks alike.
  if (output.code === 'EACCES') return 'not installed, or not executable for this user';
  if (isForbidden(output)) return 'not permitted: widen net.ipv4.ping_group_range';
  return output.code ?? readReason(output.stdout, output.stderr) ?? 'no reply from 127.0.0.1';
}
