import { accessWords } from './access.ts';
import { analyticsWords } from './analytics.ts';
import { commonWords } from './common.ts';
import { configurationWords } from './configuration.ts';
import { deliveryWords } from './delivery.ts';
import { kindWords } from './kinds.ts';
import { monitoringWords } from './monitoring.ts';
import { publishingWords } from './publishing.ts';

const words: ReadonlyMap<string, string> = new Map(
  [
    accessWords,
    commonWords,
    configurationWords,
    analyticsWords,
    deliveryWords,
    monitoringWords,
    kindWords,
    publishingWords,
  ].flatMap(Object.entries),
);

/**
 * What a property means: in the schema that owns it, in the property that holds its object, or anywhere. `holders` are
 * these names, nearest last.
 */
export function meaningOf(name: string, holders: readonly string[]): string | undefined {
  const keys = holders.toReversed().map(holder => `${holder}.${name}`);
  return [...keys, name].map(key => words.get(key)).find(found => found !== undefined);
}
