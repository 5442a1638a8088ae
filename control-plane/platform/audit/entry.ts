import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AuditAction, AuditResource } from './actions.ts';
import { cutFields, wholeEntry } from './cut.ts';
import { type HashSecret, Sealed } from './sealed.ts';

/** Who makes a change. The name is the one of that time: a token's, or what somebody says of themselves. */
export type Actor = {
  type: (typeof actorTypes)[number];
  id: string;
  name: string | null;
  /** By which of their tokens a person acts. */
  token?: { id: string; name: string } | null;
};
export const actorTypes = ['token', 'person', 'link', 'slack', 'pagerduty', 'admin', 'signal_key'] as const;

/** The way it came. */
export const auditWays = ['api', 'dashboard', 'bulk', 'apply', 'import', 'admin'] as const;
export type Via = (typeof auditWays)[number];

/** Who, how and where: the same for all changes of a request. Without a project only the operator sees it. */
export type Origin = {
  projectId: string | null;
  actor: Actor;
  via: Via;
  requestId: string | null;
  planId: string | null;
};

/** The fields of a resource as the API names them, secrets marked with `sealed`. */
export type Fields = Readonly<Record<string, unknown>>;

/** `before` is null for what was made, `after` for what was deleted. `name` is the resource's own. */
type Difference = { subject: string; name: string | null; before: Fields | null; after: Fields | null };

/** What else a change did, to another resource. */
export type Effect = Difference & { resource: AuditResource };

/** A change for the audit; whole resources will do, since only fields that differ are kept. */
export type Change = Difference & { action: AuditAction; also?: readonly Effect[] };

/** Not what a client sets, or said by the entry itself. */
const leftOut = new Set(['id', 'project_id', 'created_at', 'updated_at', 'config_version']);
const textMax = 4000;

/** The change as it is stored: fields that differ, without secrets, within the limits; null if none does. */
export async function writtenChange(
  { projectId }: Pick<Origin, 'projectId'>,
  change: Change,
  hash: HashSecret,
  limits = wholeEntry,
): Promise<Change | null> {
  const own = await written(projectId, change, hash, limits.fieldsBytes);
  let left = 2 * limits.fieldsBytes;
  const also: Effect[] = [];
  for (const effect of change.also ?? []) {
    if (also.length === limits.effects) break;
    const shown = await written(projectId, effect, hash, left);
    if (shown === null) continue;
    also.push(shown);
    left = Math.max(0, left - Buffer.byteLength(JSON.stringify([shown.before, shown.after])));
  }
  if (own !== null) return { ...own, also };
  return also.length === 0 ? null : { ...change, before: {}, after: {}, also };
}

async function written<Of extends Difference>(
  projectId: string | null,
  difference: Of,
  hash: HashSecret,
  bytesMax: number,
): Promise<Of | null> {
  const { before, after } = difference;
  const names = changedNames(before, after);
  if (names.length === 0 && before !== null && after !== null) return null;
  const show = async (fields: Fields | null) =>
    fields === null ? null : cutFields(await shownFields(projectId, fields, names, hash), bytesMax);
  return { ...difference, before: await show(before), after: await show(after) };
}

/** Pure: the fields whose values differ, all of them where there is only one side. */
export function changedNames(before: Fields | null, after: Fields | null): string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].filter(name => {
    if (leftOut.has(name)) return false;
    return before === null || after === null || !isDeepStrictEqual(before[name] ?? null, after[name] ?? null);
  });
}

async function shownFields(
  projectId: string | null,
  fields: Fields,
  names: readonly string[],
  hash: HashSecret,
): Promise<Fields> {
  const shown: Record<string, unknown> = {};
  for (const name of names) shown[name] = await shownValue(projectId, fields[name] ?? null, hash);
  return shown;
}

async function shownValue(projectId: string | null, value: unknown, hash: HashSecret): Promise<unknown> {
  if (value instanceof Sealed) return hash(projectId, value.value);
  if (typeof value === 'string') return shorten(value);
  if (Array.isArray(value)) return Promise.all(value.map(item => shownValue(projectId, item, hash)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(async ([key, item]) => [key, await shownValue(projectId, item, hash)]);
  return Object.fromEntries(await Promise.all(entries));
}

/** A long text keeps its beginning; its hash tells two with the same one apart. */
function shorten(text: string): string {
  if (text.length <= textMax) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${text.slice(0, textMax).toWellFormed()}… [${text.length} characters, sha256 ${digest}]`;
}
