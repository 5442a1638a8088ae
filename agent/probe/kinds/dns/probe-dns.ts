import type { DnsCheck } from '#shared/checks/check.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import type { KindProbe } from '../kind.ts';

export const probeDns: KindProbe<DnsCheck> = async () => {
  throw new ProbeRefusal('protocol_error', 'not yet', 'probe');
};
