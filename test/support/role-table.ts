import type { Role } from '#control-plane/platform/projects/roles.ts';

/** Table §4 of the contract, written down a second time: which role is the least that has a scope; null: none has. */
export const leastRoles: readonly [needed: RegExp, least: Role | null][] = [
  [/^agents:operate$|^audit:write$/, null],
  [/^(alerts|incidents|maintenances):write$|^events:read$/, 'responder'],
  [/^(monitors|components|status-pages|channels|routes|releases|flows|walls|events|secrets):write$/, 'editor'],
  [/^subscribers:|^audit:read$/, 'editor'],
  [/^(project|agents|members):write$|^(tokens|users):/, 'admin'],
  [/^(project|monitors|alerts|channels|routes|agents|incidents|status-pages|components):read$/, 'viewer'],
  [/^(releases|flows|maintenances|walls|members|secrets):read$/, 'viewer'],
];

/** What an operation needs: scopes, that the person runs the installation, or nothing. */
type Needs = readonly string[] | 'operator';

const byVerb = (noun: string) => (method: string) => [`${noun}:${method === 'GET' ? 'read' : 'write'}`];

/**
 * The paragraph below that table: what an operation needs by its method and path. The first that fits counts; one that
 * fits none has no rule yet, and whoever adds it decides here.
 */
const operations: readonly [operation: RegExp, needs: Needs | ((method: string) => Needs)][] = [
  [/^\w+ \/v0\/me(\/|$)/, []],
  [/^GET \/v0\/(projects|changes)$/, []],
  // Those of the types that a document names: none of an empty one.
  [/^\w+ \/v0\/config\//, []],
  [/ \/v0\/(people|projects|installation)(\/|$)/, 'operator'],
  // Leaving needs none; these are others.
  [/ \/v0\/(members|invitations|group-roles)(\/|$)/, byVerb('members')],
  [/^GET \/v0\/monitors\/{id}\/versions$/, ['monitors:read', 'audit:read']],
  [/^GET \/v0\/signal-key$/, ['monitors:write']],
  [/^GET \/v0\/users\/({external_id}\/)?timeline$/, ['events:read']],
  [/^GET \/v0\/incidents\/{id}\/impact$/, ['incidents:read', 'events:read']],
  [/^GET \/v0\/releases\/{id}\/comparison$/, ['releases:read', 'events:read']],
  [/^POST \/v0\/alerts\/{alert_id}\/promote$/, ['incidents:write', 'alerts:read']],
  [/ \/v0\/status-pages\/{id}\/subscribers(\/|$)/, byVerb('subscribers')],
  [/ \/v0\/(monitors|labels|regions|overview|metrics|signal-key)(\/|$)/, byVerb('monitors')],
  [/ \/v0\/(alerts|alert-groups|notices)(\/|$)/, byVerb('alerts')],
  [/ \/v0\/(incidents|deliveries)(\/|$)/, byVerb('incidents')],
  [/ \/v0\/(maintenances|maintenance-occurrences)(\/|$)/, byVerb('maintenances')],
  [/ \/v0\/(project|webhooks|slack)(\/|$)/, byVerb('project')],
  [/ \/v0\/(events|event-names|trends|retention)(\/|$)/, byVerb('events')],
  [/ \/v0\/(users|erasures)(\/|$)/, byVerb('users')],
  [/ \/v0\/(flows|reports)(\/|$)/, byVerb('flows')],
  ...[
    'tokens',
    'audit',
    'components',
    'status-pages',
    'channels',
    'routes',
    'agents',
    'releases',
    'walls',
    'secrets',
  ].map((noun): [RegExp, (method: string) => Needs] => [new RegExp(` /v0/${noun}(/|$)`), byVerb(noun)]),
];

/** Undefined for an operation without a rule. */
export function needsOf(method: string, path: string): Needs | undefined {
  const rule = operations.find(([operation]) => operation.test(`${method} ${path}`))?.[1];
  return typeof rule === 'function' ? rule(method) : rule;
}

/** The least role that may do what needs a scope. */
export function leastRole(scope: string): Role | null {
  return leastRoles.find(([needed]) => needed.test(scope))?.[1] ?? null;
}
