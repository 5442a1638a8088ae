import { parseArgs } from 'node:util';

/** One row of the benchmarks, printed as a line of JSON: the figures, their targets, and whether they are met. */
export type Row = {
  name: string;
  figure: Readonly<Record<string, unknown>>;
  target: Readonly<Record<string, unknown>>;
  pass: boolean;
  versions: Readonly<Record<string, string>>;
  samples: unknown;
};

/** The context of a row: `opened` disposes what the row opens, `progress` prints a line for people. */
export type RowRun = { full: boolean; opened: AsyncDisposableStack; progress: (line: string) => void };

/** Rows by name; `what` describes each in the usage. */
export type Rows = Readonly<Record<string, { what: string; measure: (run: RowRun) => Promise<Row> }>>;

const interruption = 'interrupted';

/** Runs the rows named on the command line, or all. The exit code is 1 if a target was missed or a row failed. */
export async function runRows(program: string, rows: Rows, args: readonly string[]): Promise<void> {
  const interrupted = Promise.withResolvers<never>();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => interrupted.reject(new Error(interruption)));
  // Between two rows nothing awaits this promise.
  interrupted.promise.catch(() => {});
  try {
    const { names, full } = readArguments(program, rows, args);
    for (const name of names) await runRow(name, rows, full, interrupted.promise);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
    // Timers of the interrupted row would keep the process alive.
    if (error instanceof Error && error.message === interruption) process.exit(130);
  }
}

async function runRow(name: string, rows: Rows, full: boolean, interrupted: Promise<never>): Promise<void> {
  const startedAt = performance.now();
  const progress = (line: string) =>
    process.stderr.write(`${name} ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${line}\n`);
  await using opened = new AsyncDisposableStack();
  const measured = rows[name]?.measure({ full, opened, progress });
  const row = await Promise.race([measured, interrupted]);
  if (row === undefined) return;
  process.stdout.write(`${JSON.stringify(row)}\n`);
  if (!row.pass) process.exitCode = 1;
}

function readArguments(program: string, rows: Rows, args: readonly string[]): { names: string[]; full: boolean } {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { full: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const unknown = positionals.filter(name => !Object.hasOwn(rows, name));
  if (unknown.length > 0) {
    const list = Object.entries(rows).map(([name, { what }]) => `  ${name}  ${what}`);
    process.stderr.write(
      `Unknown row ${unknown.join(', ')}.\nUsage: ${program} [NAME…] [--full]\n${list.join('\n')}\n`,
    );
    process.exit(2);
  }
  return { names: positionals.length > 0 ? positionals : Object.keys(rows), full: values.full };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The quantile by nearest rank; NaN for no values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}

export function round(value: number, digits = 3): number {
  return Number(value.toFixed(digits));
}
