import { z } from 'zod';

/** A table with the columns that are copied, in the order in which tables are restored. */
const table = z.object({ name: z.string(), columns: z.array(z.string()).min(1) });

const manifestSchema = z.object({
  format: z.literal(1),
  /** The version that made the backup, and its migrations. */
  version: z.string(),
  migrations: z.array(z.string()).min(1),
  edition: z.enum(['plain', 'apache', 'community']),
  /** The database's time at the snapshot. */
  taken_at: z.string(),
  tables: z.array(table),
  /** The last values of sequences that were used. */
  sequences: z.array(z.object({ name: z.string(), value: z.number() })),
  /** First and last instant of the rows of each series. */
  series: z.array(z.object({ name: z.string(), from: z.string(), to: z.string() })),
  /** Rows of each column of secrets by the key they were sealed with. */
  keys: z.array(z.object({ column: z.string(), key: z.string().regex(/^[0-9a-f]{8}$/), rows: z.number() })),
});

const endSchema = z.object({
  tables: z.record(z.string(), z.object({ rows: z.number(), bytes: z.number(), sha256: z.string() })),
});

/** What stands at the beginning of a backup. */
export type Manifest = z.infer<typeof manifestSchema>;

/** What stands at its end: rows, bytes and checksum of each table. */
export type ManifestEnd = z.infer<typeof endSchema>;

export const manifestName = 'manifest.json';
export const endName = 'end.json';

/** Throws if it is not the manifest of a backup that this version can read. */
export function parseManifest(data: Buffer): Manifest {
  return parse(manifestSchema, data, 'a newer version or one before 0.5.0 made it, or it is no backup of Upquorum');
}

export function parseEnd(data: Buffer): ManifestEnd {
  return parse(endSchema, data, 'its end is damaged');
}

function parse<Value>(schema: z.ZodType<Value>, data: Buffer, sentence: string): Value {
  try {
    return schema.parse(JSON.parse(data.toString('utf8')));
  } catch (error) {
    throw new Error(sentence, { cause: error });
  }
}

/** The name of a part of a table's rows. */
export function partName(tableName: string, part: number): string {
  return `tables/${tableName}/${String(part).padStart(6, '0')}.copy`;
}

/** The table that a part belongs to; null for other parts. */
export function tableOf(part: string): string | null {
  return /^tables\/([a-z0-9_]+)\/\d+\.copy$/.exec(part)?.[1] ?? null;
}

/**
 * Tables so that each comes after those that its rows refer to; otherwise in the order given. Throws if two refer to
 * each other.
 */
export function inOrderOfReferences<Table extends { name: string }>(
  tables: readonly Table[],
  references: readonly { from: string; to: string }[],
): Table[] {
  const waiting = [...tables];
  const ordered: Table[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ name }) =>
      references.every(({ from, to }) => from !== name || to === name || !waiting.some(other => other.name === to)),
    );
    if (next < 0) throw new Error(`tables refer to each other: ${waiting.map(({ name }) => name).join(', ')}`);
    ordered.push(...waiting.splice(next, 1));
  }
  return ordered;
}
