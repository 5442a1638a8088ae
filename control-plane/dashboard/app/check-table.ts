import { badge } from './badge.ts';
import { type Content, type Description, element } from './element.ts';
import type { Check } from './shapes.ts';
import { ago, exact } from './time.ts';
import { lookOf } from './words.ts';

/** Results with what was expected and what came; all assertions and phases unfold. */
export function checkTable(checks: readonly Check[], nowMs: number): Description {
  const columns = ['Result', 'When', 'Region', 'Code', 'Latency', 'Expected and actual'];
  const heads = columns.map(column => element('th', { scope: 'col' }, column));
  return element(
    'table',
    { class: 'checks' },
    element('caption', { class: 'unseen' }, 'Check results, newest first'),
    element('thead', {}, element('tr', {}, heads)),
    element(
      'tbody',
      {},
      checks.map(check => row(check, nowMs)),
    ),
  );
}

function row(check: Check, nowMs: number): Description {
  const cell = (label: string, ...content: Content[]) => element('td', { 'data-label': label }, content);
  const again = check.attempt > 1 && ' again';
  const confirm = check.kind === 'confirm' && ' confirm';
  return element(
    'tr',
    { key: check.id },
    cell('Result', badge(lookOf('checks', check.status))),
    cell('When', ago(check.scheduled_at, nowMs), element('small', {}, again, confirm)),
    cell('Region', check.region),
    cell('Code', check.status_code ?? '–'),
    cell('Latency', check.latency_ms === null ? '–' : `${Math.round(check.latency_ms)} ms`),
    cell('Expected and actual', outcome(check), details(check)),
  );
}

function outcome(check: Check): Content {
  const failed = check.assertions.filter(assertion => assertion.passed === false);
  const error =
    check.error !== null && element('span', {}, `${check.error.message} `, element('code', {}, check.error.code));
  const source = check.failure_source !== null && check.failure_source !== 'target';
  return [
    error,
    source && element('small', {}, ` fault of the ${check.failure_source}, not of the target`),
    failed.map(({ expected, actual }) =>
      element(
        'span',
        { class: 'outcome' },
        'expected ',
        element('code', {}, expected),
        ', got ',
        element('code', {}, actual ?? 'nothing'),
      ),
    ),
  ];
}

function details(check: Check): Description {
  const phases = Object.entries(check.timings ?? {}).filter(([, ms]) => ms !== null);
  const told = (passed: boolean | null) => (passed === null ? 'skipped' : passed ? 'held' : 'failed');
  return element(
    'details',
    {},
    element('summary', {}, 'Details'),
    element(
      'dl',
      {},
      element('dt', {}, 'Slot'),
      element('dd', {}, exact(check.scheduled_at)),
      phases.map(([name, ms]) => [
        element('dt', {}, name.replace(/_ms$/, '').replace('_', ' ')),
        element('dd', {}, `${Math.round(Number(ms) * 10) / 10} ms`),
      ]),
      check.remote_ip !== null && [element('dt', {}, 'Address'), element('dd', {}, check.remote_ip)],
      check.assertions.map(({ type, passed, expected, actual, skipped }) => [
        element('dt', {}, `${type} ${told(passed)}`),
        element('dd', {}, element('code', {}, expected), ' → ', element('code', {}, actual ?? skipped ?? 'nothing')),
      ]),
    ),
  );
}
