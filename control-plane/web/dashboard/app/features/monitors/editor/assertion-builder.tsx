import type { JSX } from 'preact';
import { Options } from '../../../kit/form/controls.tsx';
import type { Choices } from '../../../kit/labels.ts';
import { ApiProblem } from '../../../session/api.ts';
import { type AssertionDraft, type AssertionType, hasOperand, newAssertion, operatorsOf } from './assertion-draft.ts';
import { egressOf } from './connection/egress-draft.ts';
import type { FieldsProps } from './fields-props.ts';
import { assertionsOfKind, okWithoutAssertions } from './kind-words.ts';

const types: readonly (readonly [AssertionType, string])[] = [
  ['status', 'Status code'],
  ['body_contains', 'Body'],
  ['header', 'Header'],
  ['json_path', 'JSON value'],
  ['http_version', 'HTTP version'],
  ['tls_version', 'TLS version'],
  ['dns_rcode', 'Response code'],
  ['dns_record', 'Record'],
  ['dns_agree', 'Servers agree'],
  ['dns_changed', 'Records stay the same'],
  ['packet_loss', 'Packet loss'],
  ['jitter', 'Jitter'],
  ['grpc_status', 'gRPC status'],
  ['run_seconds', 'Length of a run'],
  ['measured', 'Value'],
  ['addresses', 'Addresses that answer'],
  ['latency', 'Latency'],
  ['latency_p95', 'p95 latency'],
];
const operatorWords: Readonly<Record<string, string>> = {
  eq: 'equals',
  neq: 'does not equal',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is greater than',
  gte: 'is at least',
  in: 'is one of',
  not_in: 'is none of',
  contains: 'contains',
  not_contains: 'does not contain',
  exists: 'exists',
  not_exists: 'does not exist',
  matches: 'matches the pattern',
  not_matches: 'does not match the pattern',
  all: 'are all',
};

/** Those of the kind; that on addresses only where each is watched. */
function assertionsOf({ kind, eachAddress }: FieldsProps['form']['draft']): readonly AssertionType[] {
  return egressOf(kind) === 'whole' && eachAddress ? [...assertionsOfKind[kind], 'addresses'] : assertionsOfKind[kind];
}

/** Conditions on a response; each type offers the operators it takes. */
export function AssertionBuilder({ form, problem }: FieldsProps & { problem: Error | null }) {
  const { change, draft } = form;
  return (
    <section class="card">
      <h2>Assertions</h2>
      <AssertionList
        assertions={draft.assertions}
        onChange={assertions => change({ assertions })}
        types={assertionsOf(draft)}
        hint={okWithoutAssertions[draft.kind]}
        fault={(index, texts) => <form.Fault at={`assertions/${index}`} texts={texts} />}
        pointer="/assertions"
        problem={problem}
        mayWarn
      />
    </section>
  );
}

/** `hint`: what counts without any; `pointer`: where the API has the list. */
type ListProps = {
  assertions: readonly AssertionDraft[];
  onChange(assertions: readonly AssertionDraft[]): void;
  types: readonly AssertionType[];
  hint: string;
  fault(index: number, texts: string[]): JSX.Element;
  pointer: string;
  problem: Error | null;
  mayWarn: boolean;
};

export function AssertionList(props: ListProps) {
  const { assertions, onChange, types: offered, hint, fault, pointer, problem, mayWarn } = props;
  const set = (index: number, changes: Partial<AssertionDraft>) =>
    onChange(assertions.map((each, at) => (at === index ? { ...each, ...changes } : each)));
  return (
    <>
      {assertions.length === 0 && <p class="hint">{hint}</p>}
      <ul class="assertions">
        {assertions.map((assertion, index) => (
          <Row
            key={index}
            number={index + 1}
            assertion={assertion}
            fault={fault(index, errorsOf(problem, `${pointer}/${index}/`))}
            set={changes => set(index, changes)}
            remove={() => onChange(assertions.filter((_, at) => at !== index))}
            mayWarn={mayWarn}
          />
        ))}
      </ul>
      <div class="buttons">
        {types
          .filter(([type]) => offered.includes(type))
          .map(([type, label]) => (
            <button key={type} type="button" onClick={() => onChange([...assertions, newAssertion(type)])}>
              + {label}
            </button>
          ))}
      </div>
    </>
  );
}

function errorsOf(problem: Error | null, prefix: string): string[] {
  if (!(problem instanceof ApiProblem)) return [];
  return problem.errors
    .filter(({ pointer }) => pointer?.startsWith(prefix))
    .map(({ pointer, detail }) => `${pointer?.slice(prefix.length)} ${detail}`);
}

type RowProps = {
  number: number;
  assertion: AssertionDraft;
  fault: JSX.Element;
  set(changes: Partial<AssertionDraft>): void;
  remove(): void;
  mayWarn: boolean;
};

function Row({ number, assertion, fault, set, remove, mayWarn }: RowProps) {
  const { type, operator } = assertion;
  const operators: Choices = operatorsOf[type].map(each => [each, operatorWords[each] ?? each] as const);
  const name = types.find(([each]) => each === type)?.[1] ?? type;
  return (
    <li class="assertion">
      <span class="label">{name}</span>
      {(type === 'header' || type === 'json_path') && (
        <input
          aria-label={`${type === 'header' ? 'Header name' : 'JSON path'} of assertion ${number}`}
          placeholder={type === 'header' ? 'content-type' : '$.status'}
          value={assertion.subject}
          onInput={event => set({ subject: event.currentTarget.value })}
        />
      )}
      <select
        aria-label={`Operator of assertion ${number}`}
        value={operator}
        onChange={event => set({ operator: event.currentTarget.value })}
      >
        <Options choices={operators} />
      </select>
      {hasOperand(assertion) && <Operand number={number} assertion={assertion} set={set} />}
      {type === 'dns_changed' && <Minutes assertion={assertion} set={set} before="over" />}
      {mayWarn && type !== 'latency_p95' && (
        <label class="box">
          <input
            type="checkbox"
            checked={assertion.warns}
            onChange={event => set({ warns: event.currentTarget.checked })}
          />
          <span>only warns</span>
        </label>
      )}
      <button type="button" class="quiet end" aria-label={`Remove assertion ${number}`} onClick={remove}>
        Remove
      </button>
      {fault}
    </li>
  );
}

const placeholders: Readonly<Record<AssertionType, string>> = {
  status: '200, 204, 300-399',
  body_contains: 'text',
  header: 'application/json',
  json_path: '"ok", 42, true',
  latency_p95: '500',
  latency: '1000',
  http_version: '2',
  tls_version: 'TLSv1.3',
  dns_rcode: 'NXDOMAIN',
  dns_record: '192.0.2.1',
  dns_agree: '',
  dns_changed: '',
  packet_loss: '0.5',
  jitter: '50',
  grpc_status: 'SERVING, or a code such as 12',
  run_seconds: '600',
  measured: '20, or 0.5 of the week before',
  addresses: '2',
};

const units: Readonly<Partial<Record<AssertionType, string>>> = {
  latency: 'ms',
  jitter: 'ms',
  packet_loss: 'of the packets',
  run_seconds: 's',
};

function Operand({ number, assertion, set }: Pick<RowProps, 'number' | 'assertion' | 'set'>) {
  const { type, operand, operator } = assertion;
  return (
    <>
      <input
        class="operand"
        aria-label={`Value of assertion ${number}`}
        placeholder={placeholders[type]}
        value={operand}
        onInput={event => set({ operand: event.currentTarget.value })}
      />
      {units[type] !== undefined && <span>{units[type]}</span>}
      {type === 'body_contains' && !operator.endsWith('matches') && (
        <label class="box">
          <input
            type="checkbox"
            checked={assertion.caseInsensitive}
            onChange={event => set({ caseInsensitive: event.currentTarget.checked })}
          />
          <span>ignore case</span>
        </label>
      )}
      {type === 'latency_p95' && <Minutes assertion={assertion} set={set} before="ms over" />}
    </>
  );
}

function Minutes({ assertion, set, before }: Pick<RowProps, 'assertion' | 'set'> & { before: string }) {
  return (
    <label class="box">
      <span>{before}</span>
      <input
        class="minutes"
        type="number"
        value={assertion.windowMinutes}
        onInput={event => set({ windowMinutes: event.currentTarget.value })}
      />
      <span>min</span>
    </label>
  );
}
