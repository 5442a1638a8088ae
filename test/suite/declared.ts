import type { ExecutionContext, TestFn } from 'ava';

type Implementation = (t: ExecutionContext) => unknown;
type Hook = () => unknown;

/** What a test file declares by calling AVA's `test`. */
export type Declared = {
  tests: { title: string; serial: boolean; implementation: Implementation }[];
  before: Hook[];
  after: Hook[];
};

const declared = new Map<string, Declared>();

/** What a file that was imported has declared. */
export function declaredBy(file: string): Declared {
  return declared.get(file) ?? { tests: [], before: [], after: [] };
}

/** Stands for AVA's `test` in one file of a group. It has what our tests use: anything else fails at once. */
export function collect(file: string): TestFn {
  const found: Declared = { tests: [], before: [], after: [] };
  declared.set(file, found);
  const declare = (serial: boolean) => (title: string, implementation: Implementation) => {
    found.tests.push({ title, serial, implementation });
  };
  const before = (hook: Hook) => void found.before.push(hook);
  const always = (hook: Hook) => void found.after.push(hook);
  return Object.assign(declare(false), { serial: declare(true), before, after: { always } }) as unknown as TestFn;
}
