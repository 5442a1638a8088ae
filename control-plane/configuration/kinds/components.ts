import type { ConfigKind } from './kind.ts';
import { componentRows } from './rows-store.ts';

export const componentsKind: ConfigKind = {
  type: 'components',
  path: '/v0/components',
  scope: 'components',
  resource: 'Component',
  named: 'name',
  prefix: 'comp',
  references: [{ within: [], name: 'monitors', field: 'monitor_ids', type: 'monitors' }],
  without: ['position', 'status', 'status_page_id'],
  secretMembers: [],
  rows: componentRows,
};
