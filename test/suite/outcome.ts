import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Event } from 'ava/internal';

/** What a run of tests came to: how many passed, and a line for each that did not. */
export type Outcome = { passed: number; failures: readonly string[] };

/** Writes what AVA came to, for the runner: called by AVA with its events. Without the file AVA itself was ended. */
export async function recordOutcome(events: AsyncIterable<Event>, path: string): Promise<void> {
  writeFileSync(path, JSON.stringify(await readOutcome(events)));
}

/** Counts from AVA's events. A hook that fails is a failure, and so is a crash outside of any test. */
export async function readOutcome(events: AsyncIterable<Event>): Promise<Outcome> {
  const failures: string[] = [];
  let passed = 0;
  let nameless = 0;
  for await (const event of events) {
    if (event.type === 'test-failed') failures.push(inGroup(event.testFile, event.title));
    if (event.type === 'timeout')
      for (const [file, titles] of event.pendingTests)
        failures.push(...nameHanging(titles).map(title => inGroup(file, title)));
    if (event.type !== 'stats') continue;
    const { stats } = event;
    passed = stats.passedTests;
    const crashes = stats.internalErrors + stats.uncaughtExceptions + stats.unhandledRejections;
    const unended =
      stats.remainingTests - stats.timedOutTests + Number(stats.timeouts > 0 && stats.timedOutTests === 0);
    nameless = stats.failedHooks + crashes + stats.sharedWorkerErrors + unended;
  }
  const others = Array.from({ length: nameless }, () => 'an error outside of tests');
  return { passed, failures: [...failures, ...others] };
}

/** With the name of its group, which says the edition: `3-plain › shared › ids › title`. */
function inGroup(file: string, title: string): string {
  return /\/test-groups\//.test(file) ? `${basename(file, '.test.ts')} › ${title}` : title;
}

/** Of those that were pending the first runs longest: the tests of a thread begin in the order of their declaration. */
function nameHanging(titles: ReadonlySet<string>): string[] {
  return [...titles].map((title, index) => `${title} (${index === 0 ? 'hangs' : 'did not end'})`);
}
