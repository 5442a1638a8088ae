import type { ConfigKind } from './kind.ts';
import { routeRows } from './rows-store.ts';

export const routesKind: ConfigKind = {
  type: 'routes',
  path: '/v0/routes',
  scope: 'routes',
  resource: 'Route',
  named: 'name',
  prefix: 'rte',
  references: [{ within: ['steps', '*'], name: 'channels', field: 'channel_ids', type: 'channels' }],
  without: [],
  secretMembers: [],
  rows: routeRows,
};
