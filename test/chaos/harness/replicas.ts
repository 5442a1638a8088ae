import type { Program } from '../../bench/program.ts';
import type { Site } from '../../bench/site.ts';

/** One process of the control plane, which may be stopped and restarted. Its address stays. */
export type Process = {
  name: string;
  url(): string;
  /** SIGSTOP. */
  stop(): void;
  /** SIGCONT. */
  resume(): void;
  /** Ends it gracefully and starts it again. Resolves when it listens. */
  restart(): Promise<void>;
};

/** The processes of one control plane. `gateways` are those that agents connect to. */
export type Replicas = { all: readonly Process[]; gateways: readonly Process[] };

/** Starts two replicas beside the site's own, or with `rolesApart` what is missing to three of each role. */
export async function startReplicas(site: Site, rolesApart: boolean): Promise<Replicas> {
  const own: Process = {
    ...signals(rolesApart ? 'front-1' : 'replica-1', () => site.controlPlane()),
    url: () => site.url,
    restart: async () => {
      await site.controlPlane().end('SIGTERM');
      await site.startControlPlane();
    },
  };
  if (!rolesApart) {
    const all = [own, await startProcess(site, 'replica-2'), await startProcess(site, 'replica-3')];
    return { all, gateways: all };
  }
  const fronts = [own, await startProcess(site, 'front-2', 'front'), await startProcess(site, 'front-3', 'front')];
  const startThree = (role: string) =>
    Promise.all([1, 2, 3].map(index => startProcess(site, `${role}-${index}`, role)));
  const gateways = await startThree('gateway');
  return { all: [...gateways, ...fronts, ...(await startThree('worker'))], gateways };
}

async function startProcess(site: Site, name: string, role?: string): Promise<Process> {
  const settings = role === undefined ? {} : { ROLES: role };
  let replica = await site.startReplica(name, 0, settings);
  return {
    ...signals(name, () => replica.program),
    url: () => replica.url,
    restart: async () => {
      await replica.program.end('SIGTERM');
      replica = await site.startReplica(name, replica.port, settings);
    },
  };
}

function signals(name: string, program: () => Program): Pick<Process, 'name' | 'stop' | 'resume'> {
  return {
    name,
    stop: () => void program().process.kill('SIGSTOP'),
    resume: () => void program().process.kill('SIGCONT'),
  };
}
