import { lockSelectorBindings } from '../../monitoring/components/selector-binding-store.ts';
import { kindOfUrl } from '../../monitoring/monitors/kinds/kinds.ts';
import { lockStates } from '../../monitoring/monitors/state/state-store.ts';
import { lockQuota } from '../../platform/project-limits/quota-store.ts';
import type { ConfigKind } from './kind.ts';
import { monitorRows } from './rows-store.ts';

export const monitorsKind: ConfigKind = {
  type: 'monitors',
  path: '/v0/monitors',
  scope: 'monitors',
  resource: 'Monitor',
  named: 'name',
  prefix: 'mon',
  references: [],
  without: ['component_ids'],
  rows: monitorRows,
  // A kind's own object of null stands for its defaults.
  whole: ({ kind, ...body }) => {
    const own = String(kind ?? kindOfUrl(String(body.url ?? '')) ?? 'http');
    const ownObject = own === 'http' ? {} : { [own]: body[own] ?? null };
    return {
      ...body,
      kind: own,
      auth: body.auth ?? null,
      egress: body.egress ?? null,
      http_version: body.http_version ?? null,
      ...ownObject,
    };
  },
  // Results lock states in the order of ids.
  lock: async (sql, projectId, ids) => {
    await lockQuota(sql, projectId, 'monitor_regions');
    await lockSelectorBindings(sql, projectId, 'alone');
    await lockStates(sql, ids.toSorted());
  },
};
