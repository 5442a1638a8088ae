import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Event } from 'ava/internal';

/** What a run of tests came to: how many passed, and a line for each that did not. */
export type Outcome = { passed: number; failures: readonly string[] };

/** Writes what AVA came to, for the runner: called by AVA with its events. Without the file AVA itself was ended. */
export async function recordOutcome(events: AsyncIterable<Event>, path: string): Promise<void> {
  writeFileSync(path, JSON.stringify(await readOutcome(events)));
}

/** Those that AVA sends and its types leave out. */
type Crash = { type: string; testFile?: string; err?: { message?: string; stack?: string; formattedError?: string } };
const crashTypes = ['uncaught-exception', 'unhandled-rejection'];

/**
 * Counts from AVA's events. A hook that fails is a failure, and so is a crash outside of any test. Tests that a crash
 * kept from their end are one failure, after what crashed.
 */
export async function readOutcome(events: AsyncIterable<Event>): Promise<Outcome> {
  const failures: string[] = [];
  let passed = 0;
  let nameless = 0;
  let unended = 0;
  for await (const event of events) {
    if (event.type === 'test-failed') failures.push(inGroup(event.testFile, event.title) + logged(event.logs));
    if (event.type === 'timeout')
      for (const [file, titles] of event.pendingTests)
        failures.push(...nameHanging(titles).map(title => inGroup(file, title)));
    if (crashTypes.includes(event.type)) failures.push(nameCrash(event as Crash));
    if (event.type !== 'stats') continue;
    const { stats } = event;
    passed = stats.passedTests;
    nameless = stats.failedHooks + stats.internalErrors + stats.sharedWorkerErrors + Number(hangsAtItsEnd(stats));
    unended = stats.remainingTests - stats.timedOutTests;
  }
  const others = Array.from({ length: nameless }, () => 'an error outside of tests');
  if (unended > 0) others.push(`${unended} tests did not end: their process did`);
  return { passed, failures: [...failures, ...others] };
}

/** What a failed test logged, below its name: AVA shows it thousands of lines above its last words. */
function logged(logs: readonly string[]): string {
  return logs.map(log => `\n${log}`.replaceAll('\n', '\n     ')).join('');
}

/** A process that did not end although all its tests had. */
function hangsAtItsEnd(stats: { timeouts: number; timedOutTests: number }): boolean {
  return stats.timeouts > 0 && stats.timedOutTests === 0;
}

/** `3-plain › uncaught-exception: Error: it failed at what.ts:3:7`. */
function nameCrash({ type, testFile = '', err = {} }: Crash): string {
  const [first, ...frames] = (err.stack ?? '').split('\n');
  const own = frames.find(frame => !frame.includes('node:') && !frame.includes('node_modules'));
  const said = err.stack ? first : (err.message ?? err.formattedError ?? 'nothing was said');
  return inGroup(testFile, `${type}: ${said}${own === undefined ? '' : ` ${own.trim()}`}`);
}

/** With the name of its group, which says the edition: `3-plain › shared › ids › title`. */
function inGroup(file: string, title: string): string {
  return /\/test-groups\//.test(file) ? `${basename(file, '.test.ts')} › ${title}` : title;
}

/** Of those that were pending the first runs longest: tests of a process begin in the order of their declaration. */
function nameHanging(titles: ReadonlySet<string>): string[] {
  return [...titles].map((title, index) => `${title} (${index === 0 ? 'hangs' : 'did not end'})`);
}
