import type pg from 'pg';
import type { Logger } from '#shared/log.ts';
import { type Assignment, assignmentsMax } from '#shared/protocol/messages.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { readMonitors } from './store.ts';
import { type AssignedRow, toAssignment } from './to-assignment.ts';

export type LoadServices = { pool: pg.Pool; keyring: Keyring; log: Logger };

/** An assignment ready to be sent to agents of one region. */
export type LoadedAssignment = { assignment: Assignment; bytes: number; projectId: string; configuredAt: number };

const messageBytesMax = 700_000;
const assignmentBytesMax = 1_000_000;

/**
 * Reads monitors and prepares them for agents of a region. One that was paused meanwhile is left out: its change is on
 * the way. One that cannot be sent is left out and logged.
 */
export async function loadAssignments(
  services: LoadServices,
  ids: readonly string[],
  region: string,
): Promise<LoadedAssignment[]> {
  const loaded: LoadedAssignment[] = [];
  for (let start = 0; start < ids.length; start += assignmentsMax) {
    const rows = await readMonitors(sqlOf(services.pool), ids.slice(start, start + assignmentsMax));
    const ours = rows.filter(row => row.regions.includes(region));
    loaded.push(...ours.flatMap(row => prepare(services, row, region) ?? []));
  }
  return loaded;
}

/** Groups assignments into messages of bounded bytes and count; at least one, also when there is nothing to put. */
export function groupIntoMessages(loaded: readonly LoadedAssignment[]): Assignment[][] {
  const messages: Assignment[][] = [[]];
  let messageBytes = 0;
  for (const { assignment, bytes } of loaded) {
    const last = messages.at(-1) ?? [];
    if (last.length > 0 && (last.length >= assignmentsMax || messageBytes + bytes > messageBytesMax)) {
      messages.push([assignment]);
      messageBytes = bytes;
      continue;
    }
    last.push(assignment);
    messageBytes += bytes;
  }
  return messages;
}

/** Agents of before do not know `secrets`: they black out headers by themselves, and get no secret elsewhere. */
export function forAgent(
  capabilities: readonly string[] | undefined,
  loaded: readonly LoadedAssignment[],
): readonly LoadedAssignment[] {
  if (capabilities === undefined || capabilities.includes('secrets.1')) return loaded;
  return loaded.map(({ assignment: { secrets: _secrets, ...assignment }, ...others }) => ({ ...others, assignment }));
}

function prepare({ keyring, log }: LoadServices, row: AssignedRow, region: string): LoadedAssignment | null {
  try {
    const assignment = toAssignment(row, region, keyring);
    const bytes = Buffer.byteLength(JSON.stringify(assignment));
    if (bytes > assignmentBytesMax) throw new RangeError(`${bytes} bytes exceed the size of a message`);
    return { assignment, bytes, projectId: row.project_id, configuredAt: row.configured_at };
  } catch (error) {
    log.error({ err: error, monitor: row.id }, 'could not assign a monitor to agents');
    return null;
  }
}
