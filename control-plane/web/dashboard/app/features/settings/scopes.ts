/** What a token may do with one resource. `send` is for events alone: to send them without reading any. */
export type Level = 'none' | 'read' | 'send' | 'write';
export type Levels = Readonly<Record<string, Level>>;

/** Resources that scopes name, with what they stand for. */
export const scopeResources: readonly (readonly [resource: string, label: string])[] = [
  ['monitors', 'Monitors'],
  ['alerts', 'Alerts'],
  ['incidents', 'Incidents'],
  ['maintenances', 'Maintenance'],
  ['status-pages', 'Status pages'],
  ['components', 'Components'],
  ['subscribers', 'Subscribers'],
  ['channels', 'Channels'],
  ['routes', 'Routes'],
  ['agents', 'Agents'],
  ['walls', 'Walls'],
  ['secrets', 'Secrets'],
  ['events', 'Events'],
  ['users', 'Users of your product'],
  ['releases', 'Releases'],
  ['flows', 'Flows'],
  ['project', 'Project'],
  ['tokens', 'Tokens'],
  ['audit', 'Audit'],
  ['members', 'Members'],
];

const operated = ['monitors', 'alerts', 'incidents', 'maintenances', 'status-pages', 'components', 'subscribers'];
const configured = ['channels', 'routes', 'flows', 'releases'];

const everywhere = (level: Level): Levels => Object.fromEntries(scopeResources.map(([resource]) => [resource, level]));
const only = (changes: Levels): Levels => ({ ...everywhere('none'), ...changes });

/** Usual tokens. */
export const presets: readonly (readonly [name: string, hint: string, levels: Levels])[] = [
  ['Read-only', 'sees everything, changes nothing', everywhere('read')],
  [
    'Operator',
    'monitors, incidents, pages and alerting; reads the rest',
    {
      ...everywhere('read'),
      ...Object.fromEntries([...operated, ...configured].map(resource => [resource, 'write' as const])),
      tokens: 'none',
    },
  ],
  ['Deploys', 'announces releases', only({ releases: 'write' })],
  ['Events', 'sends events from your servers', only({ events: 'send' })],
  ['Prometheus', 'reads the metrics of monitors', only({ monitors: 'read' })],
];

export function levelsOf(resource: string): readonly Level[] {
  // Who is in the project is for people to say.
  if (resource === 'members') return ['none', 'read'];
  return resource === 'events' ? ['none', 'read', 'send', 'write'] : ['none', 'read', 'write'];
}

/** The scopes of these levels. Writing includes reading, except of events and users. */
export function scopesOfLevels(levels: Levels): string[] {
  return scopeResources.flatMap(([resource]) => {
    switch (levels[resource]) {
      case 'read':
        return [`${resource}:read`];
      case 'send':
        return [`${resource}:write`];
      case 'write':
        return ['events', 'users'].includes(resource)
          ? [`${resource}:read`, `${resource}:write`]
          : [`${resource}:write`];
      default:
        return [];
    }
  });
}

/** The levels of these scopes; what they name and nobody knows is left out. */
export function levelsOfScopes(scopes: readonly string[]): Levels {
  const levels = scopeResources.map(([resource]): [string, Level] => {
    const [reads, writes] = [scopes.includes(`${resource}:read`), scopes.includes(`${resource}:write`)];
    if (!writes) return [resource, reads ? 'read' : 'none'];
    return [resource, resource === 'events' && !reads ? 'send' : 'write'];
  });
  return Object.fromEntries(levels);
}

/** What of it the signed-in token can give: no more than it has. */
export function within(levels: Levels, can: (scope: string) => boolean): Levels {
  return Object.fromEntries(
    Object.entries(levels).map(([resource, level]) => {
      const kept = levelsOf(resource).filter(lower => scopesOfLevels(only({ [resource]: lower })).every(can));
      return [resource, kept.includes(level) ? level : kept.includes('read') && level === 'write' ? 'read' : 'none'];
    }),
  );
}

/** `all`, or the scopes shortened: `read everything`, `incidents:write, alerts:read`. */
export function describeScopes(scopes: readonly string[]): string {
  if (scopes.includes('*')) return 'everything';
  const readAll = scopeResources.every(([resource]) => scopes.includes(`${resource}:read`));
  return readAll && scopes.every(scope => scope.endsWith(':read')) ? 'read everything' : scopes.join(', ');
}

/** Whether a token can still be used. */
export function tokenState(
  { revoked_at, expires_at }: { revoked_at: string | null; expires_at: string | null },
  nowMs: number,
): 'active' | 'revoked' | 'expired' {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= nowMs ? 'expired' : 'active';
}

/** The tokens that these made, and those made by them: they are revoked along. */
export function descendantsOf<Made extends { id: string; created_by: string | null }>(
  id: string,
  tokens: readonly Made[],
): Made[] {
  const children = tokens.filter(({ created_by }) => created_by === id);
  return children.flatMap(child => [child, ...descendantsOf(child.id, tokens)]);
}
