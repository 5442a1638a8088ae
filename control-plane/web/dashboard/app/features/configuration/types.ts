import type { ConfigManager } from '../../session/api-types.ts';

type Type = ConfigManager['resources'][number]['type'];

const nouns: Readonly<Record<Type, [noun: string, scope: string]>> = {
  secrets: ['secret', 'secrets'],
  channels: ['channel', 'channels'],
  flows: ['flow', 'flows'],
  monitors: ['monitor', 'monitors'],
  status_pages: ['status page', 'status-pages'],
  components: ['component', 'components'],
  routes: ['route', 'routes'],
  maintenances: ['maintenance window', 'maintenances'],
  reports: ['report', 'flows'],
};

export function nounOf(type: Type): string {
  return nouns[type][0];
}

export function writeScopeOf(type: Type): string {
  return `${nouns[type][1]}:write`;
}

/** The types that whoever may do this can export. */
export function exportedTypes(can: (scope: string) => boolean): string[] {
  return Object.entries(nouns).flatMap(([type, [, scope]]) => (can(`${scope}:read`) ? [type] : []));
}
