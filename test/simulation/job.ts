import { defaultAlertRules } from '#control-plane/monitoring/monitors/alert-rules.ts';
import type { Fault } from './fault.ts';
import { Process } from './process.ts';
import { Random } from './random.ts';
import type { MonitorPlan } from './scenario.ts';
import type { World } from './world.ts';

/** A job that signals to a heartbeat. It is silent at times, and else sends again until it hears that it was heard. */
export type JobPlan = {
  monitor: MonitorPlan;
  graceMs: number;
  silences: readonly { from: number; until: number }[];
};

const answerMs = 10_000;
const lossRate = 0.03;
const lookMs = 500;

/** In some worlds there is one. By random numbers of its own; its last silence is while nothing else goes wrong. */
export function planJobs(
  seed: number,
  { healedMs, recoveredMs }: Record<'healedMs' | 'recoveredMs', number>,
): JobPlan[] {
  const random = new Random(seed, 'jobs');
  if (!random.chance(0.3)) return [];
  const silences = Array.from({ length: random.between(0, 2) }, () => {
    const from = random.between(10_000, healedMs - 10_000);
    return { from, until: Math.min(healedMs, from + random.between(5000, 60_000)) };
  });
  const monitor = {
    id: `mon_${'9'.padStart(26, '0')}`,
    regions: ['heartbeat'],
    quorum: 1,
    intervalMs: 10_000,
    timeoutMs: 30_000,
    alertRules: defaultAlertRules,
    needs: 'heartbeat',
    isSecure: false,
  };
  return [{ monitor, graceMs: 20_000, silences: [...silences, { from: healedMs + 15_000, until: recoveredMs }] }];
}

/** Where there is a job, all gateways or all workers are away for a while: nobody takes signals, or stores them. */
export function planAbsences(seed: number, jobs: readonly JobPlan[], of: readonly (readonly string[])[]): Fault[] {
  const random = new Random(seed, 'absences');
  if (jobs.length === 0 || !random.chance(0.6)) return [];
  const [at, forMs] = [random.between(10_000, 40_000), random.between(30_000, 55_000)];
  const kind = random.pick(['kill', 'stop'] as const);
  return random.pick(of).map(who => ({ at, kind, who, forMs }));
}

/** The machine of a job has no faults; what it sends, and what it hears, may be lost. */
export async function runJob(world: World, { monitor, silences }: JobPlan): Promise<never> {
  const { seed } = world.scenario;
  const random = new Random(seed, `job ${monitor.id}`);
  const job = new Process('job', world.time);
  for (;;) {
    const silence = silences.find(({ from, until }) => world.elapsedMs >= from && world.elapsedMs < until);
    if (silence !== undefined) await job.wait(silence.until - world.elapsedMs);
    else if (await send(world, job, random, monitor.id)) await job.wait(monitor.intervalMs + random.between(-500, 500));
    else await job.wait(random.between(300, 3000));
  }
}

/** Notes the times in which no front runs. */
export async function watchFronts(world: World): Promise<never> {
  const watch = new Process('watch', world.time);
  const { gateways, unattended, database } = world;
  for (;;) {
    const now = database.now();
    const isAttended = [...gateways.values()].some(({ process }) => process.alive && !process.stopped);
    const last = unattended.at(-1);
    if (!isAttended && last !== undefined && last.until >= now - 2 * lookMs) last.until = now;
    else if (!isAttended) unattended.push({ from: now, until: now });
    await watch.wait(lookMs);
  }
}

function send(world: World, job: Process, random: Random, monitorId: string): Promise<boolean> {
  const running = [...world.gateways.values()].filter(({ process }) => process.alive);
  const front = running.length === 0 ? null : random.pick(running);
  return new Promise(resolve => {
    job.after(answerMs, () => resolve(false));
    const pass = (call: () => void) => {
      if (!random.chance(lossRate)) world.time.after(random.between(1, 60), call);
    };
    if (front === null) return pass(() => resolve(false));
    const take = async () => {
      const isTaken = await front.takeSignal(monitorId);
      pass(() => resolve(isTaken));
    };
    pass(() => front.process.reach(() => void take()));
  });
}
