import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Cell, plainLine, renderTable } from './table.ts';
import { type Ink, painter, visible } from './text.ts';

type Screen = Writable & { isTTY?: boolean; columns?: number };

/** Where a command writes: results to stdout alone, all else to stderr. */
export type Terminal = {
  /** With `--json`. */
  isJson: boolean;
  /** Whether people read stdout. */
  isRead: boolean;
  /** Whether somebody can answer a question. */
  canAsk: boolean;
  width: number;
  paint(text: string, ink: Ink): string;
  /** A line of result; its control characters are shown, not sent. */
  line(text: string): void;
  /** Text that is the result itself, such as an exported file. */
  raw(text: string): void;
  /** As `raw`, as fast as it is read; what others wrote is in it. */
  flow(text: string): Promise<void>;
  /** What takes long is named on a terminal after two seconds, with the seconds so far. */
  during<Result>(what: string | (() => string), work: Promise<Result>): Promise<Result>;
  json(value: unknown): void;
  /** On a terminal with a header, cut to its width; else whole, separated by tabs. */
  table(header: readonly string[], rows: readonly (readonly Cell[])[]): void;
  /** A remark, to stderr. */
  note(text: string): void;
  /** A line of a table that has no end. */
  row(row: readonly Cell[]): void;
  /** What one thing is: a line for each name. */
  fields(fields: readonly (readonly [name: string, value: Cell])[]): void;
  /** True if the answer is yes. */
  confirm(question: string): Promise<boolean>;
  /** An answer that is not shown as it is typed. */
  askSecret(question: string): Promise<string>;
  /** All of stdin. */
  input(): Promise<string>;
};

type Streams = { stdin: Readable & { isTTY?: boolean }; stdout: Screen; stderr: Screen };
type Env = Readonly<Record<string, string | undefined>>;

export function openTerminal(
  { stdin, stdout, stderr }: Streams,
  env: Env,
  { isJson, isColorless }: { isJson: boolean; isColorless: boolean },
): Terminal {
  const isRead = stdout.isTTY === true && !isJson;
  const mayPaint = !isColorless && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  const paint = painter(isRead && mayPaint);
  const width = isRead ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  const line = (shown: string) => {
    stdout.write(`${shown}\n`);
  };
  return {
    isJson,
    isRead,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    width,
    paint: (plain, ink) => paint(visible(plain), ink),
    line: shown => line(visible(shown, true)),
    raw: whole => {
      stdout.write(whole);
    },
    flow: async whole => {
      const shown = stdout.isTTY === true ? whole.replaceAll(/[^\r\n]+/g, part => visible(part)) : whole;
      if (!stdout.write(shown)) await once(stdout, 'drain');
    },
    during: (what, work) => (stderr.isTTY === true ? showProgress(stderr, what, work) : work),
    json: value => line(JSON.stringify(value, null, isRead || stdout.isTTY === true ? 2 : 0)),
    table: (header, rows) => {
      if (isRead) for (const row of renderTable(header, rows, width, paint)) line(row);
      else for (const row of rows) line(plainLine(row));
    },
    row: row =>
      line(
        isRead
          ? row.map(cell => (typeof cell === 'string' ? visible(cell) : paint(visible(cell.text), cell.ink))).join('  ')
          : plainLine(row),
      ),
    note: remark => {
      stderr.write(`${visible(remark, true)}\n`);
    },
    fields: fields => {
      const names = Math.max(...fields.map(([name]) => name.length));
      for (const [name, value] of fields) {
        const shown = typeof value === 'string' ? visible(value) : paint(visible(value.text), value.ink);
        line(isRead ? `${paint(name.padEnd(names), 'dim')}  ${shown}` : plainLine([name, value]));
      }
    },
    confirm: async question =>
      /^y(es)?$/i.test((await ask({ stdin, output: stderr, isShown: true }, `${visible(question)} [y/N] `)).trim()),
    askSecret: question => ask({ stdin, output: stderr, isShown: false }, `${visible(question)}: `),
    input: () => text(stdin),
  };
}

const quietMs = 2000;

async function showProgress<Result>(
  stderr: Writable,
  what: string | (() => string),
  work: Promise<Result>,
): Promise<Result> {
  const fromMs = performance.now();
  const clear = '\r\u001b[K';
  let isShown = false;
  const timer = setInterval(() => {
    const passedMs = performance.now() - fromMs;
    if (passedMs < quietMs) return;
    isShown = true;
    stderr.write(`${clear}${typeof what === 'string' ? what : what()} … ${Math.round(passedMs / 1000)} s`);
  }, quietMs / 4);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (isShown) stderr.write(clear);
  }
}

/** Asks on stderr. Ctrl-C ends the program, also while a question has the keyboard. */
async function ask(
  { stdin, output, isShown }: { stdin: Readable; output: Writable; isShown: boolean },
  question: string,
): Promise<string> {
  output.write(question);
  const shown = isShown ? output : new Writable({ write: (_chunk, _encoding, done) => done() });
  const asking = createInterface({ input: stdin, output: shown, terminal: true });
  asking.on('SIGINT', () => process.emit('SIGINT'));
  try {
    return await asking.question('');
  } finally {
    asking.close();
    if (!isShown) output.write('\n');
  }
}
