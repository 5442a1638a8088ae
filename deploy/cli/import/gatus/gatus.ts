import { Draft } from '../draft/draft.ts';
import { putRoutes } from '../draft/routes.ts';
import { listOf, objectOf, objectsOf, textOf } from '../draft/values.ts';
import type { Choices, Imported, SourceFile } from '../imported.ts';
import { Alerting } from './alerting.ts';
import { readEndpoint, readExternal } from './endpoint.ts';
import { putMaintenance } from './maintenance.ts';
import { readFiles } from './read-files.ts';
import { fillVariables } from './variables.ts';

/** What is read below. All other members are settings of Gatus itself. */
const read = new Set(['endpoints', 'external-endpoints', 'alerting', 'maintenance', 'suites', 'announcements']);

/** Reads the configuration of Gatus 5. Throws `SourceError` if it is none. */
export function importGatus(files: readonly SourceFile[], choices: Choices): Imported {
  const draft = new Draft(choices);
  const config = objectOf(fillVariables(readFiles(files), draft, choices.environment));
  const alerting = new Alerting(draft, config.alerting);
  const whole = (given: unknown) => {
    const item = objectOf(given);
    return { ...item, alerts: objectsOf(item.alerts).map(alert => alerting.withDefaults(alert)) };
  };
  const endpoints = [
    ...listOf(config.endpoints)
      .map(whole)
      .flatMap(given => readEndpoint(draft, given).map(made => ({ given, made }))),
    ...listOf(config['external-endpoints'])
      .map(whole)
      .map(given => ({ given, made: readExternal(draft, given) })),
  ];
  const notified = endpoints.map(({ made }) => {
    const whom = alerting.notified(made);
    draft.put('monitors', made.key, made.item);
    made.thing.carried(made.key);
    return whom;
  });
  putRoutes(draft, notified);
  const keys = endpoints.map(({ made }) => made.key);
  if (config.maintenance !== undefined) putMaintenance(draft, 'all', config.maintenance, keys);
  for (const { given, made } of endpoints)
    for (const window of listOf(objectOf(given)['maintenance-windows']))
      putMaintenance(draft, made.thing.name, window, [made.key]);
  reportOthers(draft, config);
  return draft.finish('gatus', null);
}

function reportOthers(draft: Draft, config: Record<string, unknown> | Readonly<Record<string, unknown>>): void {
  for (const suite of objectsOf(config.suites))
    draft
      .thing('suite', textOf(suite.name), textOf(suite.name))
      .leftOut('write a monitor of kind multistep in its place');
  for (const { timestamp, message } of objectsOf(config.announcements))
    draft
      .thing('announcement', textOf(message).slice(0, 200), textOf(timestamp))
      .leftOut('post an incident on the status page');
  for (const name of Object.keys(config))
    if (!read.has(name)) draft.thing('setting', name, name).leftOut('it is about Gatus itself');
}
