import { startEmbedded } from '#deploy/embedded-postgres/embedded.ts';

// Started by embedded.test.ts as a launcher that can be killed: says when the server is up, then waits.
const [dataDir = '', composeDir = '', timescale] = process.argv.slice(2);
const server = await startEmbedded({
  dataDir,
  composeDir,
  timescale: timescale === 'require' ? 'require' : 'off',
  progress: () => {},
  timescaleWorkers: 0,
});
process.stdout.write(`${JSON.stringify({ pid: server.pid, url: server.url })}\n`);
// The pipe also closes when the test's process is killed.
process.stdin.resume().on('end', () => process.exit());
