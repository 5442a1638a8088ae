import { registerHooks } from 'node:module';
import test, { type ExecutionContext } from 'ava';
import { minuteMs } from '#shared/duration.ts';
import { collectGarbage } from '#shared/exit-process.ts';
import type { Edition } from './arguments.ts';
import { measureCost } from './costs.ts';
import { type Declared, declaredBy } from './declared.ts';
import { endInTime } from './end-in-time.ts';
import { catchThrownOutside, type ThrownOutside } from './thrown-outside.ts';

const top = new URL('../../', import.meta.url);
/** Tests of a file that run at once: with more of them a busy machine does little but fail to connect in time. */
const concurrentMax = 4;
/** A test that waits for ever fails after this time; those after it go on. */
const testMaxMs = 15 * minuteMs;
/** And so does one whose end waits for ever, as for what a failure left locked. */
const endMaxMs = 3 * minuteMs;
const standIn = new URL('ava-of-file.ts', import.meta.url);

/** Runs test files in this process, on one storage edition, one after another, each as AVA runs it in its own. */
export async function runGroup(edition: Edition, files: readonly string[]): Promise<void> {
  process.once('exit', collectGarbage);
  Object.assign(process.env, JSON.parse(process.env.TEST_SERVERS ?? '{}')[edition]);
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const importer = context.parentURL ?? '';
      if (specifier !== 'ava' || !importer.endsWith('.test.ts')) return next(specifier, context);
      const url = new URL(standIn);
      url.searchParams.set('file', importer);
      return { ...next(standIn.href, context), url: url.href };
    },
  });
  const found: [file: string, declared: Declared][] = [];
  for (const file of files) {
    const { href } = new URL(file, top);
    const loaded = measureCost(file);
    await import(href);
    loaded();
    found.push([file, declaredBy(href)]);
  }
  hooks.deregister();
  // AVA starts when those that were declared in one go are known.
  const outside = catchThrownOutside();
  let turn: Promise<void> = Promise.resolve();
  for (const [file, declared] of found) turn = declareFile(file, declared, turn, outside);
  void turn.then(outside.restore);
}

/** As AVA names the tests of a file. */
function titlePrefix(file: string): string {
  return file
    .replace(/^test\//, '')
    .replace(/\.test\.ts$/, '')
    .replaceAll('/', ' › ');
}

/**
 * Declares the tests of a file: before-hooks, serial tests one by one, the others four at a time, after-hooks, once
 * `turn` has come. The result is settled when all of it is over. What is thrown outside of tests fails the test that
 * ends next.
 */
function declareFile(
  file: string,
  { tests, before, after }: Declared,
  turn: Promise<void>,
  outside: ThrownOutside,
): Promise<void> {
  const prefix = titlePrefix(file);
  if (tests.length === 0) throw new Error(`${prefix} declares no tests`);
  const serial = tests.filter(declared => declared.serial);
  const concurrent = tests.filter(declared => !declared.serial);
  const over = Promise.withResolvers<void>();
  let ready: Promise<unknown> | null = null;
  let left = tests.length;
  let measured = () => {};
  const declare = ({ title, implementation }: Declared['tests'][number], gate: Promise<void>): Promise<void> => {
    const ended = Promise.withResolvers<void>();
    test(`${prefix} › ${title}`, async (t: ExecutionContext) => {
      const { teardown } = t;
      const endsInTime = (end: () => unknown) => teardown(() => endInTime(Promise.resolve(end()), endMaxMs));
      Object.assign(t, { teardown: endsInTime });
      // Registered first, it runs after all others of this test.
      teardown(async () => {
        left -= 1;
        try {
          if (left === 0) for (const hook of after) await endInTime(Promise.resolve(hook()), endMaxMs);
          const thrown = outside.take();
          if (thrown.length > 0) throw new AggregateError(thrown, `thrown outside of tests: ${thrown.join(', ')}`);
        } finally {
          ended.resolve();
          if (left === 0) {
            measured();
            over.resolve();
          }
        }
      });
      await gate;
      if (ready === null) {
        measured = measureCost(file);
        ready = Promise.all(before.map(hook => hook()));
      }
      const work = async () => {
        await ready;
        await implementation(t);
      };
      await endInTime(work(), testMaxMs);
    });
    return ended.promise;
  };
  const gate = serial.reduce((previous, declared) => declare(declared, previous), turn);
  const lanes = Array.from({ length: concurrentMax }, () => gate);
  for (const [index, declared] of concurrent.entries()) {
    const lane = index % concurrentMax;
    lanes[lane] = declare(declared, lanes[lane] ?? gate);
  }
  return over.promise;
}
