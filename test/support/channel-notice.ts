import type { ChannelNotice } from '#control-plane/on-call/channels/notice.ts';
import { sampleAlert } from '#control-plane/on-call/channels/types/http/sample.ts';

/** A notice about one alert, as a route would queue it. */
export function sampleNotice(groupId: string, changes: Partial<ChannelNotice> = {}): ChannelNotice {
  return {
    step: 'opened',
    at: Date.parse(sampleAlert.started_at),
    severity: 'p1',
    project: { id: sampleAlert.project_id, name: 'Shop' },
    group: {
      id: groupId,
      cause: null,
      opened_at: sampleAlert.started_at,
      resolved_at: null,
      alerts: 1,
      unresolved: 1,
    },
    members: [{ alert: sampleAlert, monitor: { id: 'mon_1', name: 'Checkout', host: 'shop.example.com' } }],
    joined: 0,
    recovered: 0,
    actor: null,
    title: null,
    lines: [],
    ...changes,
  };
}
