import type { ConfigKind } from './kind.ts';
import { secretRows } from './rows-store.ts';

/** Their key is their name. */
export const secretsKind: ConfigKind = {
  type: 'secrets',
  path: '/v0/secrets',
  scope: 'secrets',
  resource: 'Secret',
  named: 'name',
  prefix: 'sec',
  references: [],
  without: ['name'],
  rows: secretRows,
  secretMembers: ['value'],
  onlyFromEnvironment: ['value'],
};
