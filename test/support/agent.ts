import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentParts, type RunningAgent, startAgent } from '#agent/agent.ts';
import { type AgentConfig, readConfig } from '#agent/config.ts';
import { createLog } from '#shared/log.ts';
import { type Gateway, gatewaySecret } from './gateway.ts';

/** An agent in this process with a folder of its own; both go when it is disposed. */
export type TestAgent = RunningAgent & AsyncDisposable & { config: AgentConfig; log: string[] };

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
  const log = createLog({ name: 'agent', level: 'debug', destination: { write: line => lines.push(line) } });
  const agent = await startAgent(config, log, options.parts);
  return {
    ...agent,
    config,
    log: lines,
    async [Symbol.asyncDispose]() {
      await agent.stop();
      await rm(folder, { recursive: true });
    },
  };
}
