import { unknownVoteWords } from '#control-plane/platform/design/labels.ts';
import { Badge } from '../../../kit/badge.tsx';
import { presentation } from '../../../kit/labels.ts';
import { formatMs } from '../../../kit/milliseconds.ts';
import { Ago, At } from '../../../kit/time.tsx';
import type { CheckResult } from '../../../session/api-types.ts';
import type { foldChecks } from './check-groups.ts';
import { KindFacts } from './kind-facts.tsx';
import { StepBars } from './step-bars.tsx';
import { waterfall } from './waterfall.ts';

const columns = ['Result', 'When', 'Region', 'Code', 'Latency', 'Expected and actual'];

/** Equal results in a row, newest first. */
export type CheckGroup = ReturnType<typeof foldChecks>[number];

/** Check results with what was expected and what was received; assertions and timings unfold. */
export function CheckTable({ groups }: { groups: readonly CheckGroup[] }) {
  return (
    <table class="checks">
      <caption class="unseen">Check results, newest first</caption>
      <thead>
        <tr>
          {columns.map(name => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {groups.map(group => (
          <Row key={group.oldest.id} group={group} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ group: { newest: check, count, oldest } }: { group: CheckGroup }) {
  return (
    <tr>
      <td data-label="Result">
        <Badge state={presentation('checks', check.status)} />
        {count > 1 && <span class="times-count"> × {count}</span>}
      </td>
      <td data-label="When">
        <Ago at={check.scheduled_at} />
        {count > 1 && (
          <small>
            {' '}
            to <Ago at={oldest.scheduled_at} />
          </small>
        )}
        {count === 1 && <Attempt check={check} />}
      </td>
      <td data-label="Region">{check.region}</td>
      <td data-label="Code">{check.status_code ?? '–'}</td>
      <td data-label="Latency">{formatMs(check.latency_ms)}</td>
      <td data-label="Expected and actual">
        <Outcome check={check} />
        <Details check={check} />
      </td>
    </tr>
  );
}

function Attempt({ check: { attempt, kind } }: { check: CheckResult }) {
  if (kind === 'confirm') return <small> · confirmation</small>;
  return attempt > 1 ? <small> · attempt {attempt}</small> : null;
}

function Outcome({ check: { assertions, error, failure_source } }: { check: CheckResult }) {
  const failed = assertions.filter(assertion => assertion.passed === false);
  const isUncounted = failure_source === 'too_few' || failure_source === 'too_large' || failure_source === 'not_kept';
  const isOurs = failure_source !== null && failure_source !== 'target' && !isUncounted;
  return (
    <>
      {error !== null && (
        <span>
          {error.message} <code>{error.code}</code>
        </span>
      )}
      {isUncounted && <small>{unknownVoteWords[failure_source]}</small>}
      {isOurs && <small> caused by the {failure_source}, not the target</small>}
      {failed.map(({ index, expected, actual }) => (
        <span key={index} class="outcome">
          expected <code>{expected}</code>, got <code>{actual ?? 'nothing'}</code>
        </span>
      ))}
    </>
  );
}

function Details({ check }: { check: CheckResult }) {
  const { assertions, delayed_ms, remote_ip, scheduled_at, steps, timings, warnings } = check;
  return (
    <details>
      <summary>Details</summary>
      <dl>
        <dt>Scheduled</dt>
        <dd>
          <At at={scheduled_at} />
        </dd>
        {steps !== null && <StepBars steps={steps} />}
        {waterfall(steps === null ? timings : null).map(({ name, ms, left, width }) => [
          <dt key={`${name} name`}>{name}</dt>,
          <dd key={name} class="phase">
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect x={left * 100} y={0} width={Math.max(0.5, width * 100)} height={8} />
            </svg>
            {Math.round(ms * 10) / 10} ms
          </dd>,
        ])}
        {delayed_ms !== null && [
          <dt key="delay name">Agent delayed</dt>,
          <dd key="delay">{Math.round(delayed_ms)} ms: this latency does not count</dd>,
        ]}
        {warnings.map(({ code, message }) => [<dt key={`${code} name`}>Warning</dt>, <dd key={code}>{message}</dd>])}
        <KindFacts check={check} />
        {remote_ip !== null && [<dt key="ip name">IP address</dt>, <dd key="ip">{remote_ip}</dd>]}
        {assertions.map(({ index, type, passed, expected, actual, skipped, step }) => [
          <dt key={`${index} name`}>
            {step === undefined ? '' : `${steps?.[step]?.name ?? 'step'}: `}
            {type} {verb(passed)}
          </dt>,
          <dd key={index}>
            <code>{expected}</code> → <code>{actual ?? skipped ?? 'nothing'}</code>
          </dd>,
        ])}
      </dl>
    </details>
  );
}

function verb(passed: boolean | null): string {
  if (passed === null) return 'skipped';
  return passed ? 'passed' : 'failed';
}
