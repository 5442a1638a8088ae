import { createHash } from 'node:crypto';
import { toTimestamp } from '#shared/clock.ts';
import { withSession } from '../../../platform/db/schema/schema-lock.ts';
import { version } from '../../../platform/http/version.ts';
import { type Options, requireOption } from '../options.ts';
import type { AdminServices } from '../services.ts';
import { type Part, writeArchive } from './archive.ts';
import { beginSnapshot, describeDatabase, listReferences, listTables, readRows, type Table } from './copy-store.ts';
import { endName, inOrderOfReferences, type ManifestEnd, manifestName, partName } from './manifest.ts';
import { everySecond, sizeOf } from './progress.ts';

const partBytes = 4 * 1024 * 1024;
const newLine = 10;

/** Writes all data of one moment to a file, while the control planes work. */
export async function backUp(options: Options, { config: { databaseUrl }, progress }: AdminServices): Promise<unknown> {
  const file = requireOption(options, 'file');
  const startedAt = performance.now();
  return await withSession(databaseUrl, async client => {
    await beginSnapshot(client);
    const about = await describeDatabase(client);
    const tables = inOrderOfReferences(await listTables(client), await listReferences(client));
    const end: ManifestEnd = { tables: {} };
    async function* parts(): AsyncGenerator<Part> {
      yield json(manifestName, { format: 1, version, ...about, tables });
      for (const table of tables) yield* copyTable(table, end);
      yield json(endName, end);
    }
    const say = everySecond(progress);
    async function* copyTable(table: Table, { tables: sums }: ManifestEnd): AsyncGenerator<Part> {
      const hash = createHash('sha256');
      let [rows, bytes, number] = [0, 0, 0];
      for await (const data of inParts(readRows(client, table))) {
        hash.update(data);
        rows += countLines(data);
        bytes += data.length;
        number += 1;
        say(`${table.name}: ${rows} rows, ${sizeOf(bytes)}`);
        yield { name: partName(table.name, number), data };
      }
      sums[table.name] = { rows, bytes, sha256: hash.digest('hex') };
    }
    const bytes = await writeArchive(file, parts());
    await client.query('commit');
    const sums = Object.values(end.tables);
    return {
      file,
      bytes,
      taken_at: toTimestamp(Date.parse(about.taken_at)),
      edition: about.edition,
      tables: tables.length,
      rows: sums.reduce((sum, { rows }) => sum + rows, 0),
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      secrets: 'Keep the SECRETS_KEYS of this installation apart from the file: they are not in it, and it needs them.',
    };
  });
}

function json(name: string, value: unknown): Part {
  return { name, data: Buffer.from(`${JSON.stringify(value, null, 2)}\n`) };
}

/** Rows come one by one, or a few in a chunk. */
async function* inParts(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < partBytes) continue;
    yield* pieces(Buffer.concat(waiting));
    [waiting, bytes] = [[], 0];
  }
  if (bytes > 0) yield* pieces(Buffer.concat(waiting));
}

function* pieces(data: Buffer): Generator<Buffer> {
  for (let start = 0; start < data.length; start += partBytes) yield data.subarray(start, start + partBytes);
}

/** A line break within a value is written as two other characters. */
function countLines(data: Buffer): number {
  let lines = 0;
  for (let at = data.indexOf(newLine); at >= 0; at = data.indexOf(newLine, at + 1)) lines += 1;
  return lines;
}
