// agent.ts is imported late: loaded before the relaunch, it would be loaded twice.
import { ConfigError } from '#shared/env.ts';
import { exitProcess } from '#shared/exit-process.ts';
import { createLog } from '#shared/log.ts';
import { describeConfig, isInClear, readConfig } from './config.ts';
import { relaunchLean, relaunchWarm } from './relaunch.ts';

// What the agent stores contains parts of responses.
process.umask(0o077);
const config = await orExit(() => readConfig(process.env));
relaunchLean(config.dataDir, process.env);
const { startAgent } = await import('./agent.ts');
relaunchWarm(process.env);
const log = createLog({ name: 'agent', level: config.logLevel });
log.info({ config: describeConfig(config) }, 'starting');
if (isInClear(config)) log.warn('CONTROL_PLANE_URL is http: the secret crosses the network in clear text; use https');
const agent = await orExit(() => startAgent(config, log));

let signals = 0;
const onSignal = (signal: string) => {
  signals++;
  if (signals > 1) exitProcess(1);
  log.info({ signal }, 'stopping gracefully; send a second signal to exit immediately');
  agent.stop().then(
    () => exitProcess(0),
    error => {
      log.error({ err: error }, 'the agent did not stop cleanly');
      exitProcess(1);
    },
  );
};
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
if (config.stopWithStdin) process.stdin.resume().once('end', () => onSignal('end of stdin'));

/** Ends the program with one sentence if its configuration or its folder is of no use. */
async function orExit<Value>(start: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    exitProcess(1);
  }
}
