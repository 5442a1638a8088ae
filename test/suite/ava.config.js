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
  // Tests wait for most of their time: with a thread for each processor half of them would be idle,
  // and with four they take longer and cost more of it.
  concurrency: Math.min(12, Math.ceil(2.5 * availableParallelism())),
  // Ends the files that are running if no test has ended in this time: some take minutes on a busy machine.
  timeout: '360s',
  nonSemVerExperiments: { observeRunsFromConfig: true },
  observeRun: ({ events }) => recordOutcome(events, TEST_OUTCOME),
};
