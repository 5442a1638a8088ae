import type { Draft } from '../draft/draft.ts';
import { durationMs } from '../draft/duration.ts';
import type { Thing } from '../draft/thing.ts';
import { lineOf, listOf, objectOf, objectsOf, textOf } from '../draft/values.ts';
import { readYaml } from '../draft/yaml.ts';
import type { Item, SourceFile } from '../imported.ts';

/** A target that a job probes. */
export type Target = {
  job: string;
  target: string;
  module: string;
  labels: Readonly<Record<string, string>>;
  intervalSeconds: number;
  scrapeTimeoutMs: number;
};

/** Files beside the configuration that a pattern such as `targets/*.yml` names. */
export type ReadBeside = (pattern: string) => readonly SourceFile[];

/** The targets of all jobs that probe, and of probes of the operator. Jobs are reported. */
export function readJobs(draft: Draft, config: SourceFile, readBeside: ReadBeside): Target[] {
  return readYaml(config.path, config.text).flatMap(given => {
    const document = objectOf(given);
    if (document.kind === 'Probe') return probeTargets(draft, document);
    if (document.kind === 'List') return objectsOf(document.items).flatMap(item => probeTargets(draft, item));
    const global = objectOf(document.global);
    return objectsOf(document.scrape_configs).flatMap(job => jobTargets(draft, job, global, readBeside));
  });
}

function jobTargets(draft: Draft, job: Item, global: Item, readBeside: ReadBeside): Target[] {
  const name = lineOf(job.job_name, 200, 'job');
  const thing = draft.thing('job', name, name);
  const modules = listOf(objectOf(job.params).module).map(textOf);
  if (!/\/probe$/.test(textOf(job.metrics_path))) {
    thing.leftOut('it does not probe');
    return [];
  }
  const { targetOf, moduleLabel } = readRelabeling(thing, objectsOf(job.relabel_configs));
  const intervalSeconds = (durationMs(textOf(job.scrape_interval ?? global.scrape_interval)) ?? 60_000) / 1000;
  const scrapeTimeoutMs = durationMs(textOf(job.scrape_timeout ?? global.scrape_timeout)) ?? 10_000;
  const groups = [...objectsOf(job.static_configs), ...fileGroups(thing, job, readBeside)];
  for (const member of Object.keys(job))
    if (/_sd_configs$/.test(member) && member !== 'file_sd_configs')
      thing.dropped(member, null, 'what it discovers changes: write its targets down');
  if (objectsOf(job.metric_relabel_configs).length > 0)
    thing.dropped('metric_relabel_configs', null, 'it is about metrics');
  const targets = groups.flatMap(group => {
    const labels = Object.fromEntries(
      Object.entries(objectOf(group.labels)).map(([key, value]) => [key, textOf(value)]),
    );
    const module = (moduleLabel === null ? undefined : labels[moduleLabel]) ?? modules[0] ?? 'http_2xx';
    const shown = Object.fromEntries(Object.entries(labels).filter(([key]) => !key.startsWith('__')));
    return listOf(group.targets).map((target): Target => {
      const address = targetOf(textOf(target));
      return { job: name, target: address, module, labels: shown, intervalSeconds, scrapeTimeoutMs };
    });
  });
  if (modules.length > 1) thing.dropped('params.module', modules.slice(1).join(', '), 'the first module is used');
  if (targets.length === 0) thing.leftOut('it has no targets that are written down');
  else thing.carried(null);
  return targets;
}

type Relabeling = { targetOf(address: string): string; moduleLabel: string | null };

/** The usual relabelings send the address as the target, to the exporter; all others are reported. */
function readRelabeling(thing: Thing, configs: readonly Item[]): Relabeling {
  let template = '$1';
  let moduleLabel: string | null = null;
  for (const config of configs) {
    const source = listOf(config.source_labels).map(textOf).join(',');
    const to = textOf(config.target_label);
    const isPlain = config.regex === undefined || config.regex === '(.*)';
    const isReplacing = config.action === undefined || config.action === 'replace';
    if (isPlain && isReplacing && source === '__address__' && to === '__param_target') {
      template = textOf(config.replacement) || '$1';
      continue;
    }
    if (isPlain && isReplacing && source !== '' && !source.includes(',') && to === '__param_module') {
      moduleLabel = source;
      continue;
    }
    const isUsual = (source === '__param_target' || source === '__address__') && to === 'instance';
    const isAddress = to === '__address__' && (source === '' || source.startsWith('__param'));
    if (isReplacing && (isUsual || isAddress)) continue;
    thing.dropped(
      'relabel_configs',
      JSON.stringify(config).slice(0, 300),
      'only the usual relabelings of probes are followed',
    );
  }
  const targetOf = (address: string) => template.replaceAll(/\$(?:1|\{1\})/g, () => address);
  return { targetOf, moduleLabel };
}

function fileGroups(thing: Thing, job: Item, readBeside: ReadBeside): Item[] {
  return objectsOf(job.file_sd_configs).flatMap(({ files }) =>
    listOf(files).flatMap(pattern => {
      const found = readBeside(textOf(pattern));
      if (found.length === 0) thing.dropped('file_sd_configs', textOf(pattern), 'there is no such file');
      return found.flatMap(({ path, text }) => objectsOf(readYaml(path, text)[0]));
    }),
  );
}

/** A probe of the Prometheus operator, of which kube-prometheus makes use. */
function probeTargets(draft: Draft, probe: Item): Target[] {
  if (probe.kind !== 'Probe') return [];
  const { metadata, spec } = { metadata: objectOf(probe.metadata), spec: objectOf(probe.spec) };
  const name = lineOf(metadata.name, 200, 'probe');
  const thing = draft.thing('probe', name, `${textOf(metadata.namespace)}/${name}`);
  const config = objectOf(objectOf(spec.targets).staticConfig);
  const labels = Object.fromEntries(
    Object.entries(objectOf(config.labels)).map(([key, value]) => [key, textOf(value)]),
  );
  const targets = listOf(config.static).map(
    (target): Target => ({
      job: lineOf(spec.jobName, 200, name),
      target: textOf(target),
      module: textOf(spec.module) || 'http_2xx',
      labels,
      intervalSeconds: (durationMs(textOf(spec.interval)) ?? 60_000) / 1000,
      scrapeTimeoutMs: durationMs(textOf(spec.scrapeTimeout)) ?? 10_000,
    }),
  );
  if (objectOf(spec.targets).ingress !== undefined) thing.dropped('targets.ingress', null, 'what it discovers changes');
  for (const field of ['basicAuth', 'oauth2', 'authorization', 'bearerTokenSecret'])
    if (spec[field] !== undefined) thing.dropped(field, null, 'it is about the exporter');
  if (objectsOf(config.relabelingConfigs).length > 0)
    thing.dropped('relabelingConfigs', null, 'labels stay as they are');
  if (targets.length === 0) thing.leftOut('it has no targets that are written down');
  else thing.carried(null);
  return targets;
}
