import { availableParallelism } from 'node:os';
import { recordOutcome } from './outcome.ts';

// Used by test/run.ts only, which starts the servers that tests need.
const { TEST_LEFT_OUT = '', TEST_OUTCOME = '' } = process.env;
const leftOut = TEST_LEFT_OUT.split(',').filter(path => path !== '');

export default {
  files: ['test/**/*.test.ts', 'artifacts/test-groups/**/*.test.ts', ...leftOut.map(path => `!${path}`)],
  // In the order of groups: AVA's own is that of the disk.
  sortTestFiles: (one, other) => one.localeCompare(other, [], { numeric: true }),
  extensions: ['ts'],
  // Starting a program copies its parent's page tables: of 2 GB, which threads would share, in a sixth of a second.
  workerThreads: false,
  // Tests wait for most of their time: a process for each processor would leave half of it idle. With four for each, a
  // run took 8 % longer than with five for two, and as much more of the processor's time.
  concurrency: Math.min(12, Math.ceil(2.5 * availableParallelism())),
  // Ends the files that are running if no test has ended in this time: some take minutes on a busy machine.
  timeout: '360s',
  nonSemVerExperiments: { observeRunsFromConfig: true },
  observeRun: ({ events }) => recordOutcome(events, TEST_OUTCOME),
};
