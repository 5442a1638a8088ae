import test from 'ava';
import fc from 'fast-check';
import type { ResultDetail } from '#control-plane/monitoring/checks/result.ts';
import { detailOf } from '#control-plane/monitoring/checks/storage/detail.ts';
import type { NewResult } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import { joinParts, type Template } from '#control-plane/monitoring/checks/storage/template.ts';
import { type NewTemplate, TemplateDictionary } from '#control-plane/monitoring/checks/storage/template-dictionary.ts';
import { dayMs, dayOf } from '#shared/duration.ts';
import { makeNewResult } from '#test/support/monitor-state.ts';
import { anyResult } from '#test/support/wire-results.ts';

/** What is read of results after they were divided, each with the templates stored by then. */
function readBack(results: readonly NewResult[], dictionary = new TemplateDictionary()) {
  const stored = new Map<string, Template>();
  const key = (monitorId: string, day: number, hash: number | null) => `${monitorId} ${day} ${hash}`;
  return results.map(result => {
    const { parts, templates } = dictionary.divide([result]);
    dictionary.remember(templates);
    for (const template of templates)
      stored.set(key(template.monitorId, template.day, template.hash), JSON.parse(template.text));
    const [part] = parts;
    if (part === undefined) throw new Error('each result has parts');
    const row = { ...part, agent_id: part.agentId, detail: JSON.parse(part.detail) };
    return joinParts(row, stored.get(key(result.monitor_id, dayOf(result.scheduled_at), part.template)));
  });
}

const found = (actual: string, at = 0): NewResult =>
  makeNewResult(at, {
    assertions: [{ index: 0, type: 'json_path', passed: true, expected: '$.load lt 5', actual }],
  });
const templateCount = (templates: readonly NewTemplate[]) =>
  new Set(templates.map(({ day, hash }) => `${day} ${hash}`)).size;

test('what is read of a result is byte for byte its detail, whatever an agent reports', t => {
  fc.assert(
    fc.property(fc.array(anyResult, { minLength: 1, maxLength: 80 }), results => {
      for (const [index, read] of readBack(results).entries()) {
        const result = results[index] ?? makeNewResult(0);
        t.is(JSON.stringify(read.detail), JSON.stringify(JSON.parse(detailOf(result)) as ResultDetail));
        t.is(read.agent_id, result.agentId);
      }
    }),
  );
});

test('a usual result becomes a few bytes of metrics, and a template that is stored once a day', t => {
  const dictionary = new TemplateDictionary();
  const results = Array.from({ length: 100 }, (_, index) => makeNewResult(index * 60_000, { bytes: index }));
  const first = dictionary.divide(results);
  t.is(first.templates.length, 1);
  t.deepEqual(new Set(first.parts.map(part => `${part.agentId} ${part.detail}`)), new Set([' {}']));
  dictionary.remember(first.templates);
  t.deepEqual(dictionary.divide(results).templates, []);
  t.is(dictionary.divide([makeNewResult(dayMs)]).templates.length, 1);
});

test('a template whose commit failed is stored with the next result', t => {
  const dictionary = new TemplateDictionary();
  const { templates } = dictionary.divide([makeNewResult(0)]);
  t.deepEqual(dictionary.divide([makeNewResult(1)]).templates, templates);
});

test('values that differ each time do not become templates without end, in one batch or in many', t => {
  const results = Array.from({ length: 1000 }, (_, index) => found(`value ${index}`, index));
  const together = new TemplateDictionary().divide(results);
  const dictionary = new TemplateDictionary();
  const apart = results.flatMap(result => {
    const { templates } = dictionary.divide([result]);
    dictionary.remember(templates);
    return templates;
  });
  t.is(templateCount(together.templates), 17);
  t.deepEqual(apart, together.templates);
  t.is(together.parts.at(-1)?.detail, '{"actual":["value 999"]}');
});

test('a monitor with a new template for each result falls back to rows that are complete', t => {
  const results = Array.from({ length: 200 }, (_, index) => makeNewResult(index, { remote_ip: `10.0.0.${index}` }));
  const { parts, templates } = new TemplateDictionary().divide(results);
  t.is(templateCount(templates), 64);
  t.deepEqual(parts.at(-1), {
    agentId: 'agt_1',
    detail: detailOf(results.at(-1) ?? makeNewResult(0)),
    template: null,
    metrics: null,
  });
});

test('failures are stored complete', t => {
  const failure = makeNewResult(0, { status: 'err', failure_source: 'target' });
  t.is(new TemplateDictionary().divide([failure]).parts[0]?.detail, detailOf(failure));
});

test('a row without its template is read without what the template had', t => {
  const [part] = new TemplateDictionary().divide([makeNewResult(0)]).parts;
  const row = { agent_id: '', template: part?.template ?? null, metrics: part?.metrics ?? null, detail: {} };
  t.like(joinParts(row, undefined).detail, { assertions: [], error: null, timings: null });
});
