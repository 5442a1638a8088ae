import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import type { Cell } from '../frame/table.ts';
import type { Terminal } from '../frame/terminal.ts';
import { counted, type Ink } from '../frame/text.ts';

type Plan = Schemas['ConfigPlan'];
type Action = Plan['actions'][number];

const signs: Readonly<Record<Action['action'], readonly [sign: string, ink: Ink]>> = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  adopt: ['=', 'blue'],
  delete: ['-', 'red'],
  conflict: ['!', 'red'],
};

const reasons: Readonly<Record<NonNullable<Action['reason']>, string>> = {
  exists_unmanaged: 'is there, and nobody manages it: --adopt takes it over',
  other_manager: 'another manager has it: release it there first',
  in_use: 'something else still uses it',
  name_taken: 'its name is taken',
  slug_taken: 'its slug is taken',
  limit_reached: 'the quota of the project is used up',
  kind_changed: 'it cannot change to another kind: give it a new key',
  newer_version: 'it holds what only a newer version of the server knows',
};

/** The actions as a table, the sum of them to stderr. */
export function showPlan(terminal: Terminal, plan: Plan): void {
  if (plan.actions.length > 0)
    terminal.table(
      ['ACTION', 'TYPE', 'KEY', 'WHERE', 'DETAILS'],
      plan.actions.map(action => rowOf(terminal, action)),
    );
  terminal.note(sumOf(plan));
  if (plan.reasons.includes('uncompared'))
    terminal.note('Secrets and values of the environment were not compared: this token may only read.');
  for (const { path, line, pointer, detail } of plan.warnings)
    terminal.note(`Warning: ${path === null ? pointer : `${path}:${line}`} ${detail}`);
  showBacktest(terminal, plan);
}

/** What the changes would have made of the alerts of the past. */
function showBacktest(terminal: Terminal, { backtest }: Plan): void {
  if (backtest === null || (backtest.monitors === 0 && backtest.skipped === 0)) return;
  const { days, monitors, skipped, new: added, gone, moved } = backtest;
  const when = days === 1 ? 'the last 24 hours' : `the last ${days} days`;
  const left = skipped === 0 ? '' : `; ${counted(skipped, 'other')} not judged again`;
  const sum = `${added.length} new, ${gone.length} gone, ${moved.length} moved`;
  terminal.note(`Alerts of ${when}, by ${counted(monitors, 'changed monitor')}${left}: ${sum}.`);
  for (const { monitor_key, opened_at, severity } of added)
    terminal.note(`  new    ${monitor_key} ${severity ?? ''} at ${opened_at}`);
  for (const { monitor_key, opened_at, severity, alert_id } of gone)
    terminal.note(`  gone   ${monitor_key} ${severity ?? ''} at ${opened_at} ${alert_id ?? ''}`);
  for (const { monitor_key, opened_ms, alert_id } of moved)
    terminal.note(`  moved  ${monitor_key} opened ${Math.round(opened_ms / 1000)} s later ${alert_id ?? ''}`);
}

function rowOf({ isRead }: Terminal, action: Action): Cell[] {
  const [sign, ink] = signs[action.action];
  const where = action.path === null ? '' : `${action.path}:${action.line}`;
  const name = isRead ? `${sign} ${action.action}` : action.action;
  return [{ text: name, ink }, action.type, action.key, where, detailsOf(action)];
}

function detailsOf({ action, reason, changes, name, key, revives, drift }: Action): string {
  if (reason !== null) return reasons[reason];
  if (action === 'create') return revives === null ? nameUnless(name, key) : `${nameUnless(name, key)} (revived)`;
  if (action === 'delete') return nameUnless(name, key);
  const fields = changes.map(({ pointer, before, after }) => `${pointer} ${shown(before)} → ${shown(after)}`);
  const by = drift === null ? [] : [`changed by ${drift.actor.name ?? drift.actor.id} at ${drift.at}`];
  return [...fields, ...by].join('; ');
}

function nameUnless(name: string | null, key: string): string {
  return name === null || name === key ? '' : name;
}

function shown(value: unknown): string {
  return value === undefined || value === null ? 'none' : JSON.stringify(value);
}

/** `2 to create, 1 to delete, 14 unchanged.` */
function sumOf({ counts, remaining }: Plan): string {
  const parts = (['create', 'update', 'adopt', 'delete'] as const)
    .filter(name => counts[name] > 0)
    .map(name => `${counts[name]} to ${name}`);
  const conflicts = counts.conflict === 0 ? [] : [`${counts.conflict} in conflict`];
  const more = remaining === 0 ? [] : [`${remaining} more after these`];
  const all = [...parts, ...conflicts, ...more, `${counts.unchanged} unchanged`];
  return `${all.join(', ')}.`;
}

/** How many changes a plan makes. */
export function changesOf({ counts }: Plan): number {
  return counts.create + counts.update + counts.adopt + counts.delete;
}
