import { Draft } from '../draft/draft.ts';
import { durationMs } from '../draft/duration.ts';
import { labelsFrom } from '../draft/labels.ts';
import { intervalFor, packetsFor, timeoutFor } from '../draft/timing.ts';
import { lineOf, objectOf, textOf } from '../draft/values.ts';
import { readYaml } from '../draft/yaml.ts';
import { type Choices, type Imported, type Item, SourceError, type SourceFile } from '../imported.ts';
import { type ReadBeside, readJobs, type Target } from './jobs.ts';
import { kindOfModule, probeItem } from './modules.ts';

/**
 * Reads the modules of blackbox_exporter and the jobs of Prometheus that use them; each target is a monitor. Throws
 * `SourceError`.
 */
export function importBlackbox(
  modulesFile: SourceFile,
  prometheus: SourceFile,
  readBeside: ReadBeside,
  choices: Choices,
): Imported {
  const draft = new Draft(choices);
  const modules = readModules(modulesFile);
  const targets = readJobs(draft, prometheus, readBeside);
  if (targets.length === 0)
    throw new SourceError(`${prometheus.path} has no job that probes targets which are written down.`);
  for (const target of targets) putTarget(draft, target, modules);
  const used = new Set(targets.map(({ module }) => module));
  for (const name of Object.keys(modules)) {
    const thing = draft.thing('module', name, name);
    if (used.has(name)) thing.carried(null);
    else thing.leftOut('no target uses it');
  }
  return draft.finish('blackbox', null);
}

/** The modules of a file, also of one that is in a ConfigMap, as kube-prometheus has it. */
function readModules(file: SourceFile): Item {
  const document = objectOf(readYaml(file.path, file.text)[0]);
  const inMap = Object.values(objectOf(document.data))
    .map(textOf)
    .find(text => /\bmodules\b/.test(text));
  const config =
    document.kind === 'ConfigMap' && inMap !== undefined ? objectOf(readYaml(file.path, inMap)[0]) : document;
  const modules = objectOf(config.modules);
  if (Object.keys(modules).length === 0)
    throw new SourceError(`${file.path} is no configuration of blackbox_exporter: it has no modules.`);
  return modules;
}

function putTarget(draft: Draft, { job, target, module: name, labels, ...timing }: Target, modules: Item): void {
  const thing = draft.thing('target', lineOf(target, 200, 'unnamed'), `${job}/${target}`);
  const module = Object.hasOwn(modules, name) ? objectOf(modules[name]) : null;
  if (module === null) return thing.leftOut(`there is no module ${name}`);
  const kind = kindOfModule(module);
  if (kind === null) return thing.leftOut(`there is no kind of monitor for the prober ${textOf(module.prober)}`);
  const key = draft.keyFor('monitors', `${job} ${target.replace(/^https?:\/\//, '')}`);
  const item = probeItem({ draft, thing, key, module, target }, kind);
  if (typeof item === 'string') return thing.leftOut(item);
  const interval = intervalFor(thing, kind, timing.intervalSeconds);
  const ms = Math.min(durationMs(textOf(module.timeout)) || timing.scrapeTimeoutMs, timing.scrapeTimeoutMs);
  const timeout_ms = timeoutFor(thing, kind, ms, interval);
  draft.put('monitors', key, {
    name: thing.name,
    interval_seconds: interval,
    timeout_ms,
    ...(kind === 'ping' ? { ping: { count: Math.min(1, packetsFor(timeout_ms)) } } : {}),
    ...item,
    labels: labelsFrom(thing, [['job', job], ...Object.entries(labels)]),
  });
  thing.carried(key);
}
