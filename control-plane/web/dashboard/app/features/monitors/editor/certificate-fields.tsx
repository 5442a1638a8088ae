import type { Fields } from '../../../kit/form/fields.tsx';
import { severityChoices } from '../../../kit/labels.ts';
import type { ExpiryDraft, RulesDraft } from './rules-draft.ts';

type CertificateFieldsProps = { form: Fields<RulesDraft['certificate']> };
const thresholdsMax = 5;

/** When a certificate that ends soon opens an alert of its own. */
export function CertificateFields({ form }: CertificateFieldsProps) {
  return (
    <>
      <form.Check name="enabled" label="Alert before its certificate expires" />
      {form.draft.enabled && (
        <>
          <Thresholds
            form={form}
            first="14"
            input={{ min: 0.04, max: 398 }}
            hint="14 days before the end, or at a third of the lifetime of a short one, as a P3."
          />
          <form.Check name="inVerdict" label="Also mark the monitor as degraded" />
        </>
      )}
    </>
  );
}

/** When a domain that ends soon opens an alert of its own. */
export function DomainFields({ form }: { form: Fields<ExpiryDraft> }) {
  return (
    <>
      <form.Check name="enabled" label="Alert before the domain expires" />
      {form.draft.enabled && (
        <Thresholds
          form={form}
          first="30"
          input={{ min: 1, max: 365 }}
          hint="30 days before the end as a P3, and 7 days before as a P2."
        />
      )}
    </>
  );
}

type ThresholdsProps = {
  form: Fields<ExpiryDraft> | Fields<RulesDraft['certificate']>;
  first: string;
  input: { min: number; max: number };
  hint: string;
};

function Thresholds({ form, first, input, hint }: ThresholdsProps) {
  const { thresholds } = form.draft;
  const next =
    thresholds.length === 0 ? first : String(Math.max(1, Math.floor(Number(thresholds.at(-1)?.daysLeft) / 2)));
  const add = () => form.change({ thresholds: [...thresholds, { daysLeft: next, severity: 'p3' }] });
  return (
    <>
      {thresholds.length === 0 && <p class="hint">{hint}</p>}
      {form.rows('thresholds').map((row, index) => (
        <div key={index} class="threshold">
          <row.Line
            name="daysLeft"
            at="days_left"
            label={index === 0 ? 'Days left' : 'And at days left'}
            input={{ type: 'number', step: 'any', inputMode: 'decimal', ...input }}
          />
          <row.Choice name="severity" label="Severity" choices={severityChoices} />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove the threshold of ${row.draft.daysLeft} days`}
            onClick={row.remove}
          >
            Remove
          </button>
        </div>
      ))}
      <form.Fault at="thresholds" />
      {thresholds.length < thresholdsMax && (
        <button type="button" onClick={add}>
          Add a threshold
        </button>
      )}
    </>
  );
}
