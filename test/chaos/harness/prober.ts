import { join } from 'node:path';
import { startProgram } from '../../bench/program.ts';
import { quantile, type RowRun, round } from '../../bench/row.ts';
import type { Site } from '../../bench/site.ts';

/** A path that is requested again and again, one request at a time. */
export type Probe = { name: string; path: string; token?: string; everyMs: number };
/** One request: when it was sent, how long it took, and its status; 0 without an answer. */
export type Sample = { name: string; at: number; ms: number; status: number };
export type ProberCommand = { type: 'start'; url: string; probes: readonly Probe[] } | { type: 'report' };
export type ProberReport = { type: 'samples'; samples: Sample[] };

/** A client in its own process, so that no other work of the row delays its clock. */
export type Prober = {
  /** The samples since the last call. */
  take(): Promise<Sample[]>;
};

let probers = 0;

export function startProber({ opened }: RowRun, site: Site, url: string, probes: readonly Probe[]): Prober {
  const logFile = join(site.folder, `prober-${++probers}.log`);
  const program = opened.use(startProgram('test/chaos/harness/prober-program.ts', { logFile }));
  const send = (command: ProberCommand) => void program.process.send(command);
  send({ type: 'start', url, probes });
  return {
    take: async () => {
      const report = program.message<ProberReport>('samples');
      send({ type: 'report' });
      return (await report).samples;
    },
  };
}

/** Figures of the samples of one probe. */
export function summarise(samples: readonly Sample[], name: string) {
  const own = samples.filter(sample => sample.name === name);
  const ms = own.map(sample => sample.ms);
  return {
    requests: own.length,
    p99Ms: round(quantile(ms, 0.99), 0),
    worstMs: round(Math.max(0, ...ms), 0),
    serverErrors: own.filter(sample => sample.status >= 500).length,
    unanswered: own.filter(sample => sample.status === 0).length,
  };
}
