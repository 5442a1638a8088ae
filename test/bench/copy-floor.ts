import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { cpuSecondsOf } from './cpu.ts';

export type FloorSample = { rowsPerSecond: number; cpuSecondsPer10k: number };

/** The table whose rows are copied, and the column that orders them by age. */
export type FloorTable = { name: string; newestBy: string };

const checkResults: FloorTable = { name: 'check_results', newestBy: 'received_at' };

/** The floor: copies rows into an empty table of the same shape and indexes, by COPY in one transaction. */
export async function measureCopy(
  databaseUrl: string,
  postmaster: number,
  rowsMax: number,
  table: FloorTable = checkResults,
): Promise<FloorSample> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`create table if not exists copy_floor (like ${table.name} including all)`);
    await client.query('truncate copy_floor');
    const chunks: Buffer[] = [];
    const source = client.query(
      copyTo(`copy (select * from ${table.name} order by ${table.newestBy} desc limit ${rowsMax}) to stdout`),
    );
    source.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(source, 'end');
    const cpu = () => cpuSecondsOf(postmaster) + process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
    const [startedAt, cpuBefore] = [performance.now(), cpu()];
    const sink = client.query(copyFrom('copy copy_floor from stdin'));
    await pipeline(Readable.from(chunks), sink);
    const seconds = (performance.now() - startedAt) / 1000;
    return { rowsPerSecond: sink.rowCount / seconds, cpuSecondsPer10k: ((cpu() - cpuBefore) / sink.rowCount) * 10_000 };
  } finally {
    await client.end();
  }
}
