import { AssignmentSet } from '#control-plane/monitoring/assignments/assignment-set.ts';
import { Moves } from '#control-plane/monitoring/assignments/moves.ts';
import { Plan } from '#control-plane/monitoring/assignments/plan.ts';
import { newId } from '#shared/ids.ts';

// Reports the bytes that one more monitor takes in a gateway: in its plan, and in what it knows that agents have. Run
// with --expose-gc, because garbage would hide it.
const regions = ['ap-south', 'eu-west', 'us-east'];
const agents = Number(process.argv[2]);
const monitors = 300_000;
const unheard = new Moves(() => false);
const plan = new Plan();
const byRegion = new Map(
  regions.map(region => [region, Array.from({ length: agents / regions.length }, (_, index) => `${region}-${index}`)]),
);
for (const [region, ids] of byRegion) plan.openRegion(region, ids);

function add(count: number): void {
  // As from the database: each list of regions is one of its own.
  for (let index = 0; index < count; index++)
    plan.put({ id: newId('mon'), version: 1, regions: JSON.parse(JSON.stringify(regions)) }, unheard);
}

function setsOf(): AssignmentSet[] {
  return [...byRegion].flatMap(([region, ids]) =>
    [...plan.ownedBy(ids, region).values()].map(own => AssignmentSet.of(own)),
  );
}

function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const empty = heldBytes();
add(monitors);
const sets = setsOf();
const bytes = Math.round((heldBytes() - empty) / monitors);
process.send?.({ type: 'held', bytes, agents: sets.length });
process.disconnect();
