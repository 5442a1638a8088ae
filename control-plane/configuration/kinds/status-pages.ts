import type { ConfigKind } from './kind.ts';
import { pageRows } from './rows-store.ts';

export const statusPagesKind: ConfigKind = {
  type: 'status_pages',
  path: '/v0/status-pages',
  scope: 'status-pages',
  resource: 'StatusPage',
  named: 'slug',
  prefix: 'sp',
  references: [],
  without: [],
  secretMembers: ['access'],
  rows: pageRows,
  // Without a slug, a page keeps its own.
  whole: ({ slug, ...body }) => (slug === null ? body : { ...body, slug }),
};
