import { z } from 'zod';

export const unableRegionSchema = z.object({
  region: z.string(),
  reason: z
    .enum(['no_agent', 'no_able_agent'])
    .describe('Whether no agent is online in the region, or none has every capability that the monitor needs.'),
  missing: z.array(z.string()).describe('Capabilities that the most capable agent in the region lacks.'),
});
export type UnableRegion = z.infer<typeof unableRegionSchema>;

/** What each online agent can do, by region. */
export type OnlineAgents = ReadonlyMap<string, readonly (readonly string[])[]>;

/** Pure: the regions that cannot run what needs these capabilities, in their order. */
export function unableRegions(
  regions: readonly string[],
  needed: readonly string[],
  online: OnlineAgents,
): UnableRegion[] {
  return regions.flatMap((region): UnableRegion[] => {
    const agents = online.get(region) ?? [];
    const lacking = agents
      .map(capabilities => needed.filter(word => !capabilities.includes(word)))
      .sort((left, right) => left.length - right.length);
    const [least] = lacking;
    if (least === undefined) return [{ region, reason: 'no_agent', missing: [] }];
    return least.length === 0 ? [] : [{ region, reason: 'no_able_agent', missing: least }];
  });
}
