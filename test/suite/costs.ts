import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What a part of a test file took: wall time, time of the main thread, time of its statements in PostgreSQL. */
type Cost = { file: string; wallMs?: number; threadMs?: number; sqlMs?: number };

type Sum = Required<Cost>;

const shownMax = 40;
const log = process.env.TEST_COSTS_LOG;
let current = '';

/** Whether the run was asked what each file costs: `TEST_COSTS=1`. */
export const costsAreAsked = process.env.TEST_COSTS === '1';

/** Adds to what a file costs, by default the one that runs in this process. */
export function noteCost(cost: Omit<Cost, 'file'>, file = current): void {
  if (log !== undefined) appendFileSync(log, `${JSON.stringify({ file, ...cost })}\n`);
}

/** Measures a part of a file, until the result is called. */
export function measureCost(file: string): () => void {
  current = file;
  const startMs = performance.now();
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    noteCost({ wallMs: performance.now() - startMs, threadMs: (user + system) / 1000 }, file);
  };
}

/** The sums and the files that cost most. */
export function costTable(path: string): string {
  const costs = (existsSync(path) ? readFileSync(path, 'utf8') : '')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Cost);
  const sums = sumCosts(costs);
  const total = sums.reduce(add, { file: `${sums.length} files`, wallMs: 0, threadMs: 0, sqlMs: 0 });
  return ['    wall  thread     SQL  seconds', ...[total, ...sums.slice(0, shownMax)].map(toLine), ''].join('\n');
}

/** One sum a file, the most expensive first. */
function sumCosts(costs: readonly Cost[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const cost of costs)
    sums.set(cost.file, add(sums.get(cost.file) ?? { file: cost.file, wallMs: 0, threadMs: 0, sqlMs: 0 }, cost));
  return [...sums.values()].sort((one, other) => other.wallMs - one.wallMs);
}

function add(sum: Sum, { wallMs = 0, threadMs = 0, sqlMs = 0 }: Cost): Sum {
  return { ...sum, wallMs: sum.wallMs + wallMs, threadMs: sum.threadMs + threadMs, sqlMs: sum.sqlMs + sqlMs };
}

function toLine({ file, wallMs, threadMs, sqlMs }: Sum): string {
  const numbers = [wallMs, threadMs, sqlMs].map(value => (value / 1000).toFixed(1).padStart(8));
  return `${numbers.join('')}  ${file}`;
}
