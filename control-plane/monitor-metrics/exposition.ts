import { prefersType } from '../http/prefers-type.ts';

/** One value with its labels, in their order. */
export type Sample = { labels: Readonly<Record<string, string>>; value: number };

/** Samples of one name; `info` has the name of its samples without `_info`. */
export type Family = { name: string; type: 'gauge' | 'info'; help: string; samples: readonly Sample[] };

/** A format of Prometheus: OpenMetrics 1.0, or the older text 0.0.4. */
export type Format = 'openmetrics' | 'text';

export const mediaTypes: Readonly<Record<Format, string>> = {
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  text: 'text/plain; version=0.0.4; charset=utf-8',
};

/** The format that an `Accept` header asks for; text if it does not say. */
export function formatOf(accept: string): Format {
  const isOpen = prefersType(accept, ['application/openmetrics-text'], ['text/plain', 'text/*', '*/*']);
  return isOpen ? 'openmetrics' : 'text';
}

/** Writes families; those without samples are left out. */
export function writeMetrics(families: readonly Family[], format: Format): string {
  const texts = families.filter(family => family.samples.length > 0).map(family => writeFamily(family, format));
  return `${texts.join('')}${format === 'openmetrics' ? '# EOF\n' : ''}`;
}

/** In the older format an info is a gauge with the name of its samples. */
function writeFamily({ name, type, help, samples }: Family, format: Format): string {
  const sampleName = type === 'info' ? `${name}_info` : name;
  const [familyName, familyType] = format === 'text' ? [sampleName, 'gauge'] : [name, type];
  const lines = samples.map(({ labels, value }) => `${sampleName}${writeLabels(labels)} ${value}\n`);
  const head = `# HELP ${familyName} ${escapeHelp(help)}\n# TYPE ${familyName} ${familyType}\n`;
  return head + lines.join('');
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
