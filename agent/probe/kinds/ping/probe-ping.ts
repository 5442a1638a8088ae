import type { PingCheck } from '#shared/checks/check.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import type { KindProbe } from '../kind.ts';

export const probePing: KindProbe<PingCheck> = async () => {
  throw new ProbeRefusal('protocol_error', 'not yet', 'probe');
};
