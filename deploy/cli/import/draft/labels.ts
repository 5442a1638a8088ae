import type { Thing } from './thing.ts';

// A monitor has at most 32; one is left for a route.
const labelsMax = 31;
const valueLengthMax = 200;

/** The key of a label from any name: lower case, beginning with a letter. */
function labelKeyFrom(name: string): string {
  const key = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .replace(/-+$/, '')
    .slice(0, 63);
  return key === '' ? 'label' : key;
}

/** The value of a label from any text. */
export function labelValueFrom(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, valueLengthMax)
    .toWellFormed();
}

/** Labels from pairs of names and values, of which the first of two with one key counts. */
export function labelsFrom(thing: Thing, pairs: Iterable<readonly [string, string]>): Record<string, string> {
  const labels = new Map<string, string>();
  for (const [name, given] of pairs) {
    const key = labelKeyFrom(name);
    const value = given
      .replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, valueLengthMax)
      .toWellFormed();
    if (labels.has(key)) {
      if (labels.get(key) !== value) thing.dropped(`label ${name}`, given, `there is a label ${key} already`);
      continue;
    }
    if (labels.size === labelsMax) {
      thing.dropped(`label ${name}`, given, `a monitor has at most ${labelsMax} labels`);
      continue;
    }
    if (key !== name)
      thing.changed(`label ${name}`, name, key, 'keys of labels are lower case and begin with a letter');
    if (value !== given)
      thing.changed(`label ${name}`, given.slice(0, 300), value, `at most ${valueLengthMax} characters`);
    labels.set(key, value);
  }
  return Object.fromEntries(labels);
}
