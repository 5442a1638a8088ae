import type { Change } from '../../platform/audit/entry.ts';
import { withSavepoint } from '../../platform/db/transaction.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';
import { judgedChanges } from '../backtest/backtest.ts';
import { identityOf } from '../document/merge.ts';
import type { Body, ConfigKind, Effects, ResourceRow } from '../kinds/kind.ts';
import { changesOf, conflictOf, errorsOf } from './outcome.ts';
import { type Found, isReader, note, type Run } from './run.ts';
import { changedOf, isOvertaken, stale } from './stale.ts';
import { hidingMembers, withoutGuesses } from './uncompared.ts';

class KindChanged extends Problem {}

/** Writes one item as the API would. What the API refuses is an error of the documents, or a conflict. */
export async function writeItem(run: Run, kind: ConfigKind, given: Found): Promise<void> {
  const found = isReader(run, kind) ? await withoutSecrets(run, kind, given) : given;
  const { item } = found;
  const from = run.recorded.length;
  try {
    const written = await attempt(run, () => write(run, kind, found));
    settle(run, kind, found, run.recorded[from], written);
  } catch (error) {
    run.recorded.splice(from);
    if (!(error instanceof Problem)) throw error;
    const reason = error instanceof KindChanged ? 'kind_changed' : conflictOf(error);
    if (error.code === 'validation_failed') {
      if (isOnlyAbout(error, found.uncompared)) await standInFor(run, kind, found);
      else run.outcome.errors.push(...errorsOf(kind, item, error));
    } else if (reason !== null) note(run, found, { action: 'conflict', reason });
    else throw run.isApply && isOvertaken(error) ? stale([changedOf(nameOf(found), idOf(found))]) : error;
  }
}

function nameOf({ item }: Found): string {
  return identityOf(item.type, item.parent, item.key);
}

function idOf({ decision }: Found): string | undefined {
  return 'row' in decision ? decision.row.id : undefined;
}

/** What a change of a monitor sent, and what it brings about. */
type Written = { patch: Body; effects: Effects };

const nothing: Written = { patch: {}, effects: { bumps: false, drops_votes: false } };

async function write(run: Run, kind: ConfigKind, found: Found): Promise<Written> {
  const { decision } = found;
  const body = await parseItem(run, kind, found);
  if (!run.isApply) warnOfSecrets(run, kind, found, body);
  if (decision.action === 'create') await run.api.create(kind.path, body);
  if (decision.action === 'create' || decision.action === 'conflict') return nothing;
  const { id } = decision.row;
  const { sql, caller, keyring } = run;
  const read = async () => (run.isApply ? undefined : kind.stored?.(sql, keyring, caller.projectId, id));
  const before = await read();
  const patch = await changeItem(run, kind, found, decision.row, body);
  const after = await read();
  const effects = before === undefined || after === undefined ? undefined : kind.effects?.(before, after);
  return { patch, effects: effects ?? nothing.effects };
}

/** The item without what its caller must not try out. */
async function withoutSecrets(run: Run, kind: ConfigKind, found: Found): Promise<Found> {
  const { decision, filled, resolved } = found;
  const shown = 'row' in decision ? await run.api.get(kind.path, decision.row.id) : null;
  const given = kind.blind?.(resolved.body, shown) ?? resolved.body;
  const { body, pointers } = withoutGuesses(given, filled.pointers, shown);
  if (pointers.size > 0) run.outcome.isUncompared = true;
  const members = new Set([...filled.members, ...hidingMembers(shown)]);
  return {
    ...found,
    filled: { ...filled, members, missing: [] },
    resolved: { ...resolved, body },
    uncompared: pointers,
  };
}

function isOnlyAbout({ details }: Problem, pointers: ReadonlySet<string>): boolean {
  const given = [...pointers];
  const errors = details.errors ?? [];
  return (
    errors.length > 0 &&
    errors.every(
      error => 'pointer' in error && given.some(one => one === error.pointer || isWithin(one, error.pointer)),
    )
  );
}

/** What is wrong with all of an item, such as its length, is about the hidden values in it, too. */
function isWithin(pointer: string, outer: string): boolean {
  return pointer.startsWith(`${outer}/`);
}

/** For an item that cannot be written without values that its caller need not send, so that what refers to it is. */
async function standInFor(run: Run, kind: ConfigKind, found: Found): Promise<void> {
  const { decision, resolved } = found;
  const from = run.recorded.length;
  const body = decision.action === 'create' ? kind.standIn?.(resolved.body) : undefined;
  try {
    if (body !== undefined)
      await attempt(run, async () => run.api.create(kind.path, await run.api.parse(kind.path, body, true)));
  } catch (error) {
    run.recorded.splice(from);
    if (!(error instanceof Problem)) throw error;
  }
  const id = 'row' in decision ? decision.row.id : run.recorded[from]?.subject;
  if (id !== undefined) keep(run, kind, found, id);
  run.changes += 1;
  note(run, found, { action: decision.action === 'create' ? 'create' : 'update' });
}

function warnOfSecrets(run: Run, kind: ConfigKind, { item, filled, uncompared }: Found, body: Body): void {
  for (const at of kind.secretsOf?.(body) ?? []) {
    if (filled.pointers.has(at) || uncompared.has(at)) continue;
    const pointer = `${item.pointer}${at}`;
    const { path, line } = item.source.positionOf(pointer);
    const detail = 'is a secret in clear: use `{$env: NAME}`, or a secret of the project';
    run.outcome.warnings.push({ code: 'literal_secret', pointer, detail, path, line });
  }
}

/** In a plan, what is refused takes nothing else along; in an apply, all of it. */
export function attempt<Result>({ isApply, sql }: Run, work: () => Promise<Result>): Promise<Result> {
  return isApply ? work() : withSavepoint(sql, work);
}

/** Remembers which resource an item has. */
function keep(run: Run, kind: ConfigKind, found: Found, id: string): void {
  const { item } = found;
  run.ids.set(identityOf(item.type, item.parent, item.key), id);
  run.keys.set(id, item.key);
  run.settled.get(kind)?.push({ found, id });
}

function settle(run: Run, kind: ConfigKind, found: Found, own: Change | undefined, written: Written): void {
  const { decision } = found;
  if (decision.action === 'conflict') return;
  const id = decision.action === 'create' ? (own?.subject ?? '') : decision.row.id;
  keep(run, kind, found, id);
  const keyOf = (other: string) => run.keys.get(other) ?? other;
  const differences = own === undefined ? [] : changesOf(kind, own, found.filled.members, keyOf);
  if (decision.action === 'update' && differences.length === 0) {
    run.outcome.unchanged += 1;
    return;
  }
  run.changes += 1;
  const revives = own?.action === 'monitor.restored' ? id : null;
  const { patch, effects } = written;
  const action = note(run, found, { action: decision.action, changes: differences, revives, ...effects });
  if (kind.type !== 'monitors' || decision.action === 'create') return;
  const changes = judgedChanges(
    patch,
    differences.map(({ pointer }) => pointer),
  );
  if (changes !== undefined) run.outcome.tried.push({ action, monitorId: id, changes });
}

async function parseItem(run: Run, kind: ConfigKind, found: Found): Promise<Body> {
  const { item, filled, resolved, parentId, decision } = found;
  const errors: FieldError[] = [
    ...filled.missing.map(({ pointer, name }): FieldError => {
      return { pointer, code: 'unknown_reference', detail: `${name} is not in \`env\`` };
    }),
    ...resolved.errors,
    ...kind.without
      .filter(name => Object.hasOwn(item.item, name))
      .map(
        (name): FieldError => ({ pointer: `/${name}`, code: 'not_allowed', detail: 'is not a member of documents' }),
      ),
    ...(kind.onlyFromEnvironment ?? [])
      .filter(name => Object.hasOwn(item.item, name) && !filled.pointers.has(`/${name}`))
      .map((name): FieldError => ({ pointer: `/${name}`, code: 'not_allowed', detail: 'must be `{$env: NAME}`' })),
  ];
  if (errors.length > 0) throw new Problem('validation_failed', { errors });
  const body = item.parent === '' ? resolved.body : { ...resolved.body, status_page_id: parentId };
  return run.api.parse(kind.path, body, decision.action === 'create');
}

/** A member that is missing takes the API's default; but `enabled` stays as it is. */
async function changeItem(run: Run, kind: ConfigKind, { item }: Found, row: ResourceRow, parsed: Body): Promise<Body> {
  const whole = kind.whole?.(parsed) ?? parsed;
  const stated = Object.hasOwn(item.item, 'enabled');
  const patch = Object.fromEntries(
    Object.entries(whole).filter(([name]) => !kind.without.includes(name) && (name !== 'enabled' || stated)),
  );
  const becomes = row.kind === null ? null : (whole.kind ?? whole.type ?? row.kind);
  if (becomes !== row.kind) throw new KindChanged('wrong_kind');
  await run.api.change(kind.path, row.id, patch, row.updated_at);
  return patch;
}
