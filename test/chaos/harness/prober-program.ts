import { Agent, request } from 'node:http';
import { wait } from '#shared/wait.ts';
import type { Probe, ProberCommand, ProberReport, Sample } from './prober.ts';

// Its own process, so that what it measures is the control plane's delay and not that of the row's other work.
const timeoutMs = 20_000;
const samplesMax = 200_000;
let samples: Sample[] = [];

process.on('disconnect', () => process.exit(0));
process.on('message', (command: ProberCommand) => {
  switch (command.type) {
    case 'start':
      for (const probe of command.probes) void repeat(command.url, probe);
      return;
    case 'report': {
      const report: ProberReport = { type: 'samples', samples };
      samples = [];
      return void process.send?.(report);
    }
    default:
      return command satisfies never;
  }
});

async function repeat(url: string, probe: Probe): Promise<never> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const at = Date.now();
    const startedAt = performance.now();
    const status = await ask(new URL(probe.path, url), probe, agent);
    const ms = performance.now() - startedAt;
    if (samples.length < samplesMax) samples.push({ name: probe.name, at, ms, status });
    await wait(Math.max(1, probe.everyMs - ms));
  }
}

function ask(url: URL, { token }: Probe, agent: Agent): Promise<number> {
  return new Promise(resolve => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const sent = request(url, { agent, headers, timeout: timeoutMs }, response => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', () => resolve(0));
    });
    sent.once('timeout', () => sent.destroy(new Error('timeout')));
    sent.once('error', () => resolve(0));
    sent.end();
  });
}
