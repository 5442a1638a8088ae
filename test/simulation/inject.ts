import type { Fault } from './fault.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** Makes a fault happen now, and end. */
export function inject(world: World, { at, kind, who, forMs }: Fault): void {
  const { network, database, broker, time } = world;
  const untilMs = time.now + forMs;
  const process = world.processes.get(who);
  world.note(() => `FAULT ${kind} ${who} for ${forMs / 1000} s`);
  switch (kind) {
    case 'kill':
      process?.kill();
      return void time.after(forMs, () => world.start(who));
    case 'exchange': {
      const host = world.hosts.get(who);
      if (host !== undefined) host.isOld = !host.isOld;
      process?.kill();
      return void time.after(forMs, () => world.start(who));
    }
    case 'stop':
      process?.stop();
      return void time.after(forMs, () => process?.goOn());
    case 'kill-in-commit':
      return trap(process, () => inject(world, { at, who, forMs, kind: 'kill' }));
    case 'stop-in-commit':
      return trap(process, () => inject(world, { at, who, forMs, kind: 'stop' }));
    case 'sleep':
      process?.stop();
      return void time.after(forMs, () => process?.goOn(true));
    case 'break':
      return process === undefined ? undefined : network.breakConnectionsOf(process);
    case 'clock':
      if (process !== undefined) process.wallOffsetMs += forMs % 2 === 0 ? 2 * forMs : -2 * forMs;
      return;
    case 'disk':
      world.hosts.get(who)?.disk.failUntil(untilMs);
      return;
    case 'isolate':
      world.isolated.set(who, Math.max(untilMs, world.isolated.get(who) ?? 0));
      return network.cut(who, untilMs);
    case 'cut':
      return network.cut(who, untilMs);
    case 'database-kill':
      return database.kill(untilMs);
    case 'database-slow':
      return database.slowDown(untilMs);
    case 'broker-away':
      return broker.goAway(untilMs);
    case 'broker-full':
      return broker.fill(untilMs);
    default:
      return kind satisfies never;
  }
}

function trap(process: Process | undefined, call: () => void): void {
  if (process !== undefined) process.trap = call;
}
