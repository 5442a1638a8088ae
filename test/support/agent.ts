import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentParts, type RunningAgent, startAgent } from '#agent/agent.ts';
import { type AgentConfig, readConfig } from '#agent/config.ts';
import { createLog } from '#shared/log.ts';
import { type Gateway, gatewaySecret } from './gateway.ts';
import { patienceMs } from './patience.ts';

/** An agent in this process with its own folder, both removed when it is disposed. */
export type TestAgent = RunningAgent &
  AsyncDisposable & {
    config: AgentConfig;
    log: string[];
    /** Resolves once a log line contains the text. */
    logged(text: string): Promise<void>;
  };

export type TestAgentOptions = {
  authority?: string;
  env?: Record<string, string>;
  dataDir?: string;
  parts?: AgentParts;
};

/** Starts an agent that may reach loopback and connects to the gateway. */
export async function startTestAgent(
  gateway: Pick<Gateway, 'url'>,
  options: TestAgentOptions = {},
): Promise<TestAgent> {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-agent-'));
  const authorityFile = join(folder, 'authority.pem');
  if (options.authority !== undefined) await writeFile(authorityFile, options.authority);
  const config = readConfig({
    CONTROL_PLANE_URL: gateway.url,
    AGENT_SECRET: gatewaySecret,
    DATA_DIR: options.dataDir ?? join(folder, 'data'),
    ADDRESS_POLICY: 'loopback',
    LOG_LEVEL: 'debug',
    ...(options.authority === undefined ? {} : { EXTRA_CA_FILE: authorityFile }),
    ...options.env,
  });
  const lines: string[] = [];
  const written = new EventEmitter();
  const note = (line: string) => {
    lines.push(line);
    written.emit('line');
  };
  const log = createLog({ name: 'agent', level: 'debug', destination: { write: note } });
  const agent = await startAgent(config, log, options.parts);
  return {
    ...agent,
    config,
    log: lines,
    async logged(text) {
      const signal = AbortSignal.timeout(patienceMs);
      while (!lines.some(line => line.includes(text))) await once(written, 'line', { signal });
    },
    async [Symbol.asyncDispose]() {
      await agent.stop();
      await rm(folder, { recursive: true });
    },
  };
}
