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
export function measureCopy(
  databaseUrl: string,
  postmaster: number,
  rowsMax: number,
  { name, newestBy }: FloorTable = checkResults,
): Promise<FloorSample> {
  return withClient(databaseUrl, async client => {
    const chunks: Buffer[] = [];
    const rows = `select * from ${name} order by ${newestBy} desc limit ${rowsMax}`;
    const source = client.query(copyTo(`copy (${rows}) to stdout`));
    source.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(source, 'end');
    return copyIn(client, postmaster, { name, columns: '*', chunks });
  });
}

/** The same of rows that are written already, with some of the columns of `check_results`. */
export function measureCopyOf(
  databaseUrl: string,
  postmaster: number,
  columns: string,
  chunks: readonly Buffer[],
): Promise<FloorSample> {
  return withClient(databaseUrl, client => copyIn(client, postmaster, { name: checkResults.name, columns, chunks }));
}

async function copyIn(
  client: pg.Client,
  postmaster: number,
  { name, columns, chunks }: { name: string; columns: string; chunks: readonly Buffer[] },
): Promise<FloorSample> {
  await client.query(`create table if not exists copy_floor (like ${name} including all)`);
  await client.query('truncate copy_floor');
  const cpu = () => cpuSecondsOf(postmaster) + process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  const [startedAt, cpuBefore] = [performance.now(), cpu()];
  const sink = client.query(copyFrom(`copy copy_floor ${columns === '*' ? '' : `(${columns})`} from stdin`));
  await pipeline(Readable.from(chunks), sink);
  const seconds = (performance.now() - startedAt) / 1000;
  return { rowsPerSecond: sink.rowCount / seconds, cpuSecondsPer10k: ((cpu() - cpuBefore) / sink.rowCount) * 10_000 };
}

async function withClient<Result>(databaseUrl: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
