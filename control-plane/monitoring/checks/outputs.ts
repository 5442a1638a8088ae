import type { Sql } from '../../platform/db/sql.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import type { ResultRow } from './result.ts';
import { listOutputs } from './storage/output-store.ts';

type Key = Pick<ResultRow, 'scheduled_at' | 'attempt' | 'kind'>;

/** What came with a signal, encrypted, in base64. */
export function sealOutput(keyring: Keyring, monitorId: string, text: string): string {
  return Buffer.from(keyring.seal(text, contextOf(monitorId))).toString('base64');
}

/** The outputs of results, in clear. */
export async function readOutputs(
  sql: Sql,
  keyring: Keyring,
  monitorId: string,
  rows: readonly ResultRow[],
): Promise<Map<string, string>> {
  const signals = rows.filter(({ kind }) => kind === 'signal');
  const times = signals.map(row => row.scheduled_at);
  if (times.length === 0) return new Map();
  const stored = await listOutputs(sql, monitorId, Math.min(...times), Math.max(...times));
  return new Map(
    stored.map(({ at, attempt, sealed_output }) => [
      `${at} ${attempt}`,
      keyring.open(sealed_output, contextOf(monitorId)),
    ]),
  );
}

/** The property of a result; nothing for those that are no signals. */
export function outputOf({ kind, scheduled_at, attempt }: Key, outputs: ReadonlyMap<string, string>) {
  return kind === 'signal' ? { output: outputs.get(`${scheduled_at} ${attempt}`) ?? null } : {};
}

function contextOf(monitorId: string): string {
  return `output ${monitorId}`;
}
