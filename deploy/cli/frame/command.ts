import type { Session } from '../connection/session.ts';
import type { Terminal } from './terminal.ts';

/** An option of a command. One with `value` takes a value, which help shows by this name. */
export type Flag = {
  name: string;
  short?: string;
  value?: string;
  /** May be given several times. */
  isMany?: boolean;
  /** All values that it takes; completion offers them. */
  choices?: readonly string[];
  summary: string;
};

/** What a command was called with, and what it answers with. */
export type Invocation = {
  args: readonly string[];
  /** Whether the flag was given. */
  has(flag: string): boolean;
  /** The value of a flag, null if it was not given. */
  value(flag: string): string | null;
  /** All values of a flag. */
  values(flag: string): readonly string[];
  /** As `value`. Throws a UsageError if it was not given. */
  required(flag: string): string;
  /** The whole number that a flag has. Throws a UsageError for anything else. */
  number(flag: string): number | null;
  env: Readonly<Record<string, string | undefined>>;
  terminal: Terminal;
  /** The server that this call is for. Throws a CommandError if no profile or environment names one. */
  connect(): Promise<Session>;
};

/** One command: a line in `commands.ts`, from which help, completion and docs are made. */
export type Command = {
  /** Its words: `plan`, `monitors list`. */
  name: string;
  summary: string;
  /** Its arguments as help shows them: `PATH…`. */
  args?: string;
  /** How many arguments it takes: none if left out. */
  arity?: readonly [least: number, most: number];
  flags?: readonly Flag[];
  /** Sentences of its help, and examples. */
  notes?: readonly string[];
  examples?: readonly string[];
  /** Resolves to the exit code; nothing is 0. */
  run(invocation: Invocation): Promise<number | undefined> | Promise<void>;
};

/** Flags that each command takes. */
export const commonFlags: readonly Flag[] = [
  { name: 'json', summary: 'print JSON' },
  { name: 'profile', value: 'NAME', summary: 'use this profile (see `upquorum profiles`)' },
  { name: 'no-color', summary: 'print without colors' },
  { name: 'help', short: 'h', summary: 'show this help' },
];
