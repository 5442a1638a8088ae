import type { ConfigKind } from './kind.ts';
import { flowRows } from './rows-store.ts';

export const flowsKind: ConfigKind = {
  type: 'flows',
  path: '/v0/flows',
  scope: 'flows',
  resource: 'Flow',
  named: 'name',
  prefix: 'flow',
  references: [],
  without: [],
  secretMembers: [],
  rows: flowRows,
};
