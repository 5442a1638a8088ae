import type { CheckResult } from '../data/api-types.ts';
import { type Content, type Description, element } from '../dom/element.ts';
import { badge } from './badge.ts';
import { presentation } from './labels.ts';
import { cell, table } from './table.ts';
import { ago, formatUtc } from './time.ts';

const columns = ['Result', 'When', 'Region', 'Code', 'Latency', 'Expected and actual'];

/** Check results with what was expected and what was received; assertions and timings unfold. */
export function checkTable(checks: readonly CheckResult[], nowMs: number): Description {
  return table(
    'Check results, newest first',
    columns,
    checks.map(check => row(check, nowMs)),
    { class: 'checks' },
  );
}

function row(check: CheckResult, nowMs: number): Description {
  const note = [check.attempt > 1 && ' retry', check.kind === 'confirm' && ' confirmation'];
  return element(
    'tr',
    { key: check.id },
    cell('Result', badge(presentation('checks', check.status))),
    cell('When', ago(check.scheduled_at, nowMs), element('small', {}, note)),
    cell('Region', check.region),
    cell('Code', check.status_code ?? '–'),
    cell('Latency', check.latency_ms === null ? '–' : `${Math.round(check.latency_ms)} ms`),
    cell('Expected and actual', outcome(check), details(check)),
  );
}

function outcome({ assertions, error, failure_source }: CheckResult): Content {
  const failed = assertions.filter(assertion => assertion.passed === false);
  const isOurs = failure_source !== null && failure_source !== 'target';
  return [
    error !== null && element('span', {}, `${error.message} `, code(error.code)),
    isOurs && element('small', {}, ` caused by the ${failure_source}, not the target`),
    failed.map(({ expected, actual }) =>
      element('span', { class: 'outcome' }, 'expected ', code(expected), ', got ', code(actual ?? 'nothing')),
    ),
  ];
}

function details({ assertions, remote_ip, scheduled_at, timings }: CheckResult): Description {
  const term = (name: string, ...value: Content[]): Content => [element('dt', {}, name), element('dd', {}, value)];
  const phases = Object.entries(timings ?? {}).flatMap(([name, ms]) => (ms === null ? [] : [{ name, ms }]));
  return element(
    'details',
    {},
    element('summary', {}, 'Details'),
    element(
      'dl',
      {},
      term('Scheduled', formatUtc(scheduled_at)),
      phases.map(({ name, ms }) => term(name.replace(/_ms$/, '').replace('_', ' '), `${Math.round(ms * 10) / 10} ms`)),
      remote_ip !== null && term('IP address', remote_ip),
      assertions.map(({ type, passed, expected, actual, skipped }) =>
        term(`${type} ${verb(passed)}`, code(expected), ' → ', code(actual ?? skipped ?? 'nothing')),
      ),
    ),
  );
}

function verb(passed: boolean | null): string {
  if (passed === null) return 'skipped';
  return passed ? 'passed' : 'failed';
}

function code(text: string): Description {
  return element('code', {}, text);
}
