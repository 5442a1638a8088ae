import type { ConfigKind } from './kind.ts';
import { reportRows } from './rows-store.ts';

export const reportsKind: ConfigKind = {
  type: 'reports',
  path: '/v0/reports',
  scope: 'flows',
  resource: 'Report',
  named: 'name',
  prefix: 'rpt',
  references: [{ within: ['items', '*'], name: 'flow', field: 'flow_id', type: 'flows' }],
  without: [],
  secretMembers: [],
  rows: reportRows,
};
