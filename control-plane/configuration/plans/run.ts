import { secondMs } from '#shared/duration.ts';
import type { Change } from '../../platform/audit/entry.ts';
import { allows } from '../../platform/http/endpoint/caller.ts';
import type { Endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import type { Tried } from '../backtest/run.ts';
import type { Environment, Filled } from '../document/environment.ts';
import { type DocumentItem, identityOf, type Merged } from '../document/merge.ts';
import type { DocumentError } from '../document/source.ts';
import type { ConfigKind, ResourceRow } from '../kinds/kind.ts';
import type { Resolved } from '../kinds/references.ts';
import { listOwners, noDigest, type Owner } from '../owners/store.ts';
import type { Decision } from './decide.ts';
import { type Api, apiOf, type Transacted } from './endpoints.ts';
import type { Action, Plan } from './plan.ts';

/** An apply holds locks that results of checks wait for: it must stay short. */
export const changesMax = 500;
const timeMaxMs = 60 * secondMs;

/** What documents ask for. */
export type Wanted = { merged: Merged; environment: Environment; prune: boolean; adopt: boolean };

export type Outcome = {
  actions: Action[];
  unchanged: number;
  /** Changes beyond the most of one plan, which were not tried. */
  remaining: number;
  errors: DocumentError[];
  /** Monitors whose past alerts the changes would have been others, with their actions. */
  tried: Tried[];
  /** Each resource that was compared, by its key, as it was: what makes a plan stale. */
  basis: Record<string, string>;
  /** Whether values were left out of the comparison, which the caller may not try out. */
  isUncompared: boolean;
  warnings: Plan['warnings'];
  /** Resources of earlier applies that the plan would change, and when the last apply left them. */
  watched: { action: Action; id: string; sinceMs: number }[];
};

export type RunServices = { endpoints: readonly Endpoint[]; keyring: Keyring; hash(text: string): string };

/** One item, with what it was found to mean. */
export type Found = {
  item: DocumentItem;
  filled: Filled;
  resolved: Resolved;
  parentId: string;
  decision: Decision;
  digest: string;
  /** Values that its caller may not compare. */
  uncompared: ReadonlySet<string>;
};

/** An item that has its resource. */
export type Settled = { found: Found; id: string };

/** Documents on their way into the project. */
export type Run = Transacted & {
  keyring: Keyring;
  hash(text: string): string;
  wanted: Wanted;
  isApply: boolean;
  /** When it began, by the clock of the process. */
  startedMs: number;
  api: Api;
  owners: readonly Owner[];
  recorded: Change[];
  isDocumented: ReadonlySet<string>;
  /** IDs of what the documents name, as far as they are there. */
  ids: Map<string, string>;
  /** Keys by ID. */
  keys: Map<string, string>;
  rows: Map<ConfigKind, readonly ResourceRow[]>;
  /** Monitors as they were before the secrets that they name changed. */
  untouched: ReadonlyMap<string, ResourceRow>;
  settled: Map<ConfigKind, Settled[]>;
  changes: number;
  outcome: Outcome;
};

export async function openRun(
  { endpoints, keyring, hash }: RunServices,
  transacted: Transacted,
  wanted: Wanted,
  isApply: boolean,
): Promise<Run> {
  const recorded: Change[] = [];
  const record = (change: Change) => {
    recorded.push(change);
    return transacted.record(change);
  };
  const owners = await listOwners(transacted.sql, transacted.caller.projectId);
  return {
    ...transacted,
    record,
    keyring,
    hash,
    wanted,
    isApply,
    startedMs: performance.now(),
    api: apiOf(endpoints, { ...transacted, record }),
    owners,
    recorded,
    isDocumented: new Set(wanted.merged.items.map(({ type, parent, key }) => identityOf(type, parent, key))),
    ids: new Map(),
    keys: new Map(owners.map(owner => [owner.resource_id, owner.key])),
    rows: new Map(),
    untouched: new Map(),
    settled: new Map(),
    changes: 0,
    outcome: {
      actions: [],
      unchanged: 0,
      remaining: 0,
      errors: [],
      tried: [],
      basis: {},
      isUncompared: false,
      warnings: [],
      watched: [],
    },
  };
}

/** True if the caller may read resources of the type, but not write them: secrets are not compared then. */
export function isReader({ caller }: Run, { scope }: ConfigKind): boolean {
  return !allows(caller.scopes, `${scope}:write`);
}

/** Lists what the run does with an item. */
export function note(
  { outcome }: Run,
  { item, decision, uncompared }: Found,
  given: Partial<Action> & Pick<Action, 'action'>,
): Action {
  const { path, line } = item.source.positionOf(item.pointer);
  const name = item.item.name ?? item.item.title;
  const action: Action = {
    type: item.type,
    key: item.parent === '' ? item.key : `${item.parent}/${item.key}`,
    id: 'row' in decision ? decision.row.id : null,
    name: typeof name === 'string' ? name : null,
    reason: null,
    ...plainAction,
    uncompared: uncompared.size > 0,
    path,
    line,
    ...given,
  };
  outcome.actions.push(action);
  const owner = 'owner' in decision ? decision.owner : undefined;
  if (owner !== undefined && owner.digest !== noDigest)
    outcome.watched.push({ action, id: owner.resource_id, sinceMs: owner.seen_at });
  return action;
}

/** What most actions have nothing to say of. */
export const plainAction = {
  changes: [],
  drift: null,
  bumps: false,
  drops_votes: false,
  uncompared: false,
  revives: null,
  backtest: null,
} satisfies Partial<Action>;

/** A resource as a plan saw it, its id first. */
export function seen(row: ResourceRow, owner: Owner | undefined): string {
  return [row.id, row.updated_at, row.also, owner?.key, owner?.managed_by].join(' ');
}

/** Throws `unavailable` where a plan or an apply takes too long: nothing is done then. */
export function requireTime({ startedMs }: Run): void {
  if (performance.now() - startedMs <= timeMaxMs) return;
  throw new Problem('unavailable', { detail: 'the changes took longer than 60 s; try again, or with fewer at once' });
}

/** What the documents said of a resource, and what others have changed in it without touching its row. */
export function digestOf({ hash }: Run, kind: ConfigKind, body: unknown, also: string): string {
  return hash(JSON.stringify([kind.type, sorted(body), also]));
}

/** Pure: with the members of objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, item]) => [name, sorted(item)]),
  );
}
