import { withSavepoint } from '../../platform/db/transaction.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';
import { judgedChanges } from '../backtest/backtest.ts';
import { identityOf } from '../document/merge.ts';
import type { Body, ConfigKind, ResourceRow } from '../kinds/kind.ts';
import { changesOf, conflictOf, errorsOf } from './outcome.ts';
import { type Found, note, type Run } from './run.ts';

class KindChanged extends Problem {}

/** Writes one item as the API would. What the API refuses is an error of the documents, or a conflict. */
export async function writeItem(run: Run, kind: ConfigKind, found: Found): Promise<void> {
  const { item, decision } = found;
  const from = run.recorded.length;
  let patch: Body = {};
  try {
    await attempt(run, async () => {
      const body = await parseItem(run, kind, found);
      if (decision.action === 'create') return run.api.create(kind.path, body);
      if (decision.action !== 'conflict') patch = await changeItem(run, kind, found, decision.row, body);
    });
  } catch (error) {
    run.recorded.splice(from);
    if (!(error instanceof Problem)) throw error;
    const reason = error instanceof KindChanged ? 'kind_changed' : conflictOf(error);
    if (error.code === 'validation_failed') run.outcome.errors.push(...errorsOf(kind, item, error));
    else if (reason !== null) note(run, found, { action: 'conflict', reason });
    else throw error;
    return;
  }
  settle(run, kind, found, from, patch);
}

/** In a plan, what is refused takes nothing else along; in an apply, all of it. */
export function attempt({ isApply, sql }: Run, work: () => Promise<void>): Promise<void> {
  return isApply ? work() : withSavepoint(sql, work);
}

function settle(run: Run, kind: ConfigKind, found: Found, from: number, patch: Body): void {
  const { item, decision } = found;
  const own = run.recorded[from];
  if (decision.action === 'conflict') return;
  const id = decision.action === 'create' ? (own?.subject ?? '') : decision.row.id;
  run.ids.set(identityOf(item.type, item.parent, item.key), id);
  run.keys.set(id, item.key);
  run.settled.get(kind)?.push({ found, id });
  const keyOf = (other: string) => run.keys.get(other) ?? other;
  const differences = own === undefined ? [] : changesOf(kind, own, found.filled.members, keyOf);
  if (decision.action === 'update' && differences.length === 0) {
    run.outcome.unchanged += 1;
    return;
  }
  run.changes += 1;
  const revives = own?.action === 'monitor.restored' ? id : null;
  note(run, found, { action: decision.action, changes: differences, revives });
  const action = run.outcome.actions.at(-1);
  if (kind.type !== 'monitors' || decision.action === 'create' || action === undefined) return;
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
    ...resolved.unknown.map((error): FieldError => ({ ...error, code: 'unknown_reference' })),
    ...kind.without
      .filter(name => Object.hasOwn(item.item, name))
      .map(
        (name): FieldError => ({ pointer: `/${name}`, code: 'not_allowed', detail: 'is not a member of documents' }),
      ),
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
