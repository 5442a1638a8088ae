import { defaultNotify } from '../../monitoring/maintenances/maintenance.ts';
import type { ConfigKind } from './kind.ts';
import { maintenanceRows } from './rows-store.ts';

const within = ['scope'];

export const maintenancesKind: ConfigKind = {
  type: 'maintenances',
  path: '/v0/maintenances',
  scope: 'maintenances',
  resource: 'Maintenance',
  named: 'title',
  prefix: 'mnt',
  references: [
    { within, name: 'monitors', field: 'monitor_ids', type: 'monitors' },
    { within, name: 'components', field: 'component_ids', type: 'components' },
    { within, name: 'status_pages', field: 'status_page_ids', type: 'status_pages' },
  ],
  without: [],
  secretMembers: [],
  rows: maintenanceRows,
  whole: body => ({ ...body, notify: body.notify ?? defaultNotify(body.schedule !== null) }),
};
