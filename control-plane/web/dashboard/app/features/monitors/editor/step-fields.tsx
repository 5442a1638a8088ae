import { Options } from '../../../kit/form/controls.tsx';
import type { Fields } from '../../../kit/form/fields.tsx';
import type { Choices } from '../../../kit/labels.ts';
import { AssertionList } from './assertion-builder.tsx';
import type { AssertionType } from './assertion-draft.ts';
import { AuthChoice } from './connection/auth-fields.tsx';
import type { FieldsProps } from './fields-props.ts';
import { Headers } from './headers.tsx';
import { OfferSecrets } from './offer-secrets.tsx';
import { type ExtractDraft, emptyExtract, emptyStep, moved, type StepDraft } from './step-draft.ts';

const stepsMax = 10;
const methods: Choices = (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).map(
  method => [method, method] as const,
);
const types: readonly AssertionType[] = [
  'status',
  'body_contains',
  'header',
  'json_path',
  'http_version',
  'tls_version',
  'latency',
];
const sources: readonly (readonly [ExtractDraft['from'], string, string])[] = [
  ['json_path', 'JSON value', '$.token'],
  ['header', 'Header', 'location'],
  ['regex', 'Pattern in the body', 'csrf" value="([^"]+)"'],
];

type StepProps = { step: Fields<StepDraft>; index: number; isLast: boolean; problem: Error | null };

/** Steps that are added, moved and removed. */
export function StepFields({ form, problem }: FieldsProps & { problem: Error | null }) {
  const { steps } = form.draft;
  const rows = form.rows('steps', 'multistep/steps');
  const move = (index: number, by: -1 | 1) => form.change({ steps: moved(steps, index, by) });
  return (
    <>
      <p class="hint">
        {'Steps run in order with the cookies of those before them, and repeat in every region and second attempt: ' +
          '{{run.id}} is new each time, {{name}} is a value that an earlier step took.'}
      </p>
      {rows.map((step, index) => (
        <fieldset key={index}>
          <legend>{`Step ${index + 1}`}</legend>
          <StepRow step={step} index={index} isLast={index > 0 && index === rows.length - 1} problem={problem} />
          <div class="buttons">
            <button type="button" disabled={index === 0} onClick={() => move(index, -1)}>
              Move step {index + 1} up
            </button>
            <button type="button" disabled={index === rows.length - 1} onClick={() => move(index, 1)}>
              Move step {index + 1} down
            </button>
            <button type="button" disabled={rows.length === 1} onClick={step.remove}>
              Remove step {index + 1}
            </button>
          </div>
        </fieldset>
      ))}
      <form.Fault at="multistep/steps" />
      <button
        type="button"
        disabled={steps.length >= stepsMax}
        onClick={() => form.change({ steps: [...steps, emptyStep] })}
      >
        Add step
      </button>
    </>
  );
}

function StepRow({ step, index, isLast, problem }: StepProps) {
  const { draft, change } = step;
  return (
    <>
      <div class="pair">
        <step.Line name="name" label="Name of the step" input={{ placeholder: 'Log in' }} />
        <step.Line name="timeout" at="timeout_ms" label="Timeout (ms, optional)" input={{ type: 'number' }} />
      </div>
      <div class="method-url">
        <step.Choice name="method" label="Method" choices={methods} />
        <step.Line name="url" label="URL" input={{ placeholder: 'https://api.example.com/orders/{{order}}' }} />
      </div>
      <details open={draft.headers.length > 0 || draft.body !== '' || draft.authType !== ''}>
        <summary>Sign-in, headers, body and redirects</summary>
        <AuthChoice form={step} label="Signs in by" />
        <Headers headers={draft.headers} onChange={headers => change({ headers })} />
        <OfferSecrets>
          <step.Lines name="body" label="Body" rows={4} />
        </OfferSecrets>
        <step.Check name="followRedirects" label="Follow redirects" />
      </details>
      <AssertionList
        assertions={draft.assertions}
        onChange={assertions => change({ assertions })}
        types={types}
        hint="Without assertions, any 2xx status is good."
        fault={(place, texts) => <step.Fault at={`assertions/${place}`} texts={texts} />}
        pointer={`/multistep/steps/${index}/assertions`}
        problem={problem}
        mayWarn={false}
      />
      <Extracts step={step} />
      {(isLast || draft.always) && (
        <step.Check name="always" label="Run this step also after a failure" hint="To undo what the others did." />
      )}
    </>
  );
}

function Extracts({ step: { draft, change, Fault } }: { step: Fields<StepDraft> }) {
  const { extract } = draft;
  const set = (index: number, changes: Partial<ExtractDraft>) =>
    change({ extract: extract.map((one, at) => (at === index ? { ...one, ...changes } : one)) });
  return (
    <fieldset>
      <legend>Values for later steps</legend>
      {extract.map(({ name, from, where }, index) => (
        <div key={index} class="header-row">
          <input
            aria-label={`Name of value ${index + 1}`}
            placeholder="token"
            value={name}
            onInput={event => set(index, { name: event.currentTarget.value })}
          />
          <select
            aria-label={`Source of value ${index + 1}`}
            value={from}
            onChange={event => set(index, { from: event.currentTarget.value as ExtractDraft['from'] })}
          >
            <Options choices={sources.map(([value, label]) => [value, label] as const)} />
          </select>
          <input
            aria-label={`Place of value ${index + 1}`}
            placeholder={sources.find(([value]) => value === from)?.[2] ?? ''}
            value={where}
            onInput={event => set(index, { where: event.currentTarget.value })}
          />
          <button
            type="button"
            class="quiet"
            onClick={() => change({ extract: extract.filter((_, at) => at !== index) })}
          >
            Remove value {index + 1}
          </button>
          {['name', 'path', 'header', 'pattern', 'from'].map(member => (
            <Fault key={member} at={`extract/${index}/${member}`} />
          ))}
        </div>
      ))}
      <button type="button" onClick={() => change({ extract: [...extract, emptyExtract] })}>
        Add value
      </button>
    </fieldset>
  );
}
