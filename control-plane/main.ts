import { exitProcess } from '#shared/exit-process.ts';
import { createLog } from '#shared/log.ts';
import { readConfig, redactConfig } from './config.ts';
import { startControlPlane } from './control-plane.ts';
import { explainStart } from './platform/db/start-error.ts';

// Only this account reads what the program writes: published pages before they are public, for instance.
process.umask(0o077);

try {
  const config = readConfig(process.env);
  const log = createLog({ name: 'control-plane', level: config.logLevel });
  log.info(redactConfig(config), 'configuration');
  const controlPlane = await startControlPlane(config, log);
  process.send?.({ type: 'listening', url: controlPlane.url, port: controlPlane.port });
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) exitProcess(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    controlPlane.stop().then(
      () => exitProcess(0),
      error => {
        log.error({ err: error }, 'stopping failed');
        exitProcess(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  if (config.stopWithStdin) process.stdin.resume().once('end', () => stop('end of standard input'));
} catch (error) {
  console.error(`control plane: ${explainStart(error, process.env.LOG_LEVEL === 'debug')}`);
  exitProcess(1);
}
