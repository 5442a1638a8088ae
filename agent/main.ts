// agent.ts is imported late: before the relaunch it would be loaded for nothing.
import { ConfigError } from '#shared/env.ts';
import { createLog } from '#shared/log.ts';
import { type AgentConfig, describeConfig, readConfig } from './config.ts';
import { relaunchLean, relaunchWarm } from './relaunch.ts';

const config = readConfigOrExit();
relaunchLean(config.dataDir, process.env);
const { startAgent } = await import('./agent.ts');
relaunchWarm(process.env);
const log = createLog({ name: 'agent', level: config.logLevel });
log.info({ config: describeConfig(config) }, 'starting');
const agent = await startAgent(config, log);

let signals = 0;
const onSignal = (signal: string) => {
  signals++;
  if (signals > 1) process.exit(1);
  log.info({ signal }, 'stopping: a second signal exits at once');
  agent.stop().then(
    () => process.exit(0),
    error => {
      log.error({ err: error }, 'stopping failed');
      process.exit(1);
    },
  );
};
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
if (config.stopWithStdin) process.stdin.resume().once('end', () => onSignal('end of standard input'));

function readConfigOrExit(): AgentConfig {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
