import { setImmediate } from 'node:timers/promises';
import { prefersType } from '../../platform/http/prefers-type.ts';

/** One value with its labels, in their order. */
export type Sample = { labels: Readonly<Record<string, string>>; value: number };

/** Samples of one name, which is that of its samples without `_info` and `_total`. */
export type Family = { name: string; type: 'counter' | 'gauge' | 'info'; help: string; samples: Iterable<Sample> };

/** A format of Prometheus: OpenMetrics 1.0, or the older text 0.0.4. */
export type Format = 'openmetrics' | 'text';

export const mediaTypes: Readonly<Record<Format, string>> = {
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  text: 'text/plain; version=0.0.4; charset=utf-8',
};

/** Written in one turn of the event loop. */
const linesPerTurn = 1000;

/** The format that an `Accept` header asks for; text if it does not say. */
export function formatOf(accept: string): Format {
  const isOpen = prefersType(accept, ['application/openmetrics-text'], ['text/plain', 'text/*', '*/*']);
  return isOpen ? 'openmetrics' : 'text';
}

/** Writes families; those without samples are left out. A long text gives way to other work now and then. */
export async function writeMetrics(families: readonly Family[], format: Format): Promise<string> {
  const parts: string[] = [];
  for (const family of families) {
    for (const line of familyLines(family, format)) {
      parts.push(line);
      if (parts.length % linesPerTurn === 0) await setImmediate();
    }
  }
  return `${parts.join('')}${format === 'openmetrics' ? '# EOF\n' : ''}`;
}

const suffixes = { counter: '_total', gauge: '', info: '_info' } as const;

/** In the older format an info is a gauge with the name of its samples. */
function* familyLines({ name, type, help, samples }: Family, format: Format): Generator<string> {
  const sampleName = `${name}${suffixes[type]}`;
  const textType = type === 'info' ? 'gauge' : type;
  const [familyName, familyType] = format === 'text' ? [sampleName, textType] : [name, type];
  let head = `# HELP ${familyName} ${escapeHelp(help)}\n# TYPE ${familyName} ${familyType}\n`;
  for (const { labels, value } of samples) {
    yield `${head}${sampleName}${writeLabels(labels)} ${value}\n`;
    head = '';
  }
}

function writeLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
