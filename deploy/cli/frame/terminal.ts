import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
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
  json(value: unknown): void;
  /** On a terminal with a header, cut to its width; else whole, separated by tabs. */
  table(header: readonly string[], rows: readonly (readonly Cell[])[]): void;
  /** A remark, to stderr. */
  note(text: string): void;
  /** True if the answer is yes. */
  confirm(question: string): Promise<boolean>;
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
  const line = (text: string) => stdout.write(`${text}\n`);
  return {
    isJson,
    isRead,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    width,
    paint: (text, ink) => paint(visible(text), ink),
    line: text => line(visible(text, true)),
    raw: text => stdout.write(text),
    json: value => line(JSON.stringify(value, null, isRead || stdout.isTTY === true ? 2 : 0)),
    table: (header, rows) => {
      if (isRead) for (const row of renderTable(header, rows, width, paint)) line(row);
      else for (const row of rows) line(plainLine(row));
    },
    note: text => stderr.write(`${visible(text, true)}\n`),
    confirm: async question => {
      const asking = createInterface({ input: stdin, output: stderr });
      try {
        return /^y(es)?$/i.test((await asking.question(`${visible(question)} [y/N] `)).trim());
      } finally {
        asking.close();
      }
    },
  };
}
