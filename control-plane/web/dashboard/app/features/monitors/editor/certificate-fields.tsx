import { Check, Line, Pick } from '../../../kit/form/controlled.tsx';
import { severityChoices } from '../../../kit/labels.ts';
import type { Action } from '../../../session/action.ts';
import { fieldError } from '../../../session/error.ts';
import type { RulesDraft, ThresholdDraft } from './rules-draft.ts';

type Certificate = RulesDraft['certificate'];
type CertificateFieldsProps = { certificate: Certificate; onChange(certificate: Certificate): void; action: Action };
const thresholdsMax = 5;

/** When a certificate that ends soon opens an alert of its own. */
export function CertificateFields({ certificate, onChange, action }: CertificateFieldsProps) {
  const { enabled, inVerdict, thresholds } = certificate;
  const set = (index: number, changes: Partial<ThresholdDraft>) =>
    onChange({
      ...certificate,
      thresholds: thresholds.map((each, at) => (at === index ? { ...each, ...changes } : each)),
    });
  const error = fieldError(action.problem, 'alert_rules/certificate/thresholds');
  const next =
    thresholds.length === 0 ? '14' : String(Math.max(1, Math.floor(Number(thresholds.at(-1)?.daysLeft) / 2)));
  return (
    <>
      <Check
        label="Alert before its certificate expires"
        checked={enabled}
        onCheck={isOn => onChange({ ...certificate, enabled: isOn })}
      />
      {enabled && (
        <>
          {thresholds.length === 0 && (
            <p class="hint">14 days before the end, or at a third of the lifetime of a short one, as a P3.</p>
          )}
          {thresholds.map(({ daysLeft, severity }, index) => (
            <div key={index} class="threshold">
              <Line
                label={index === 0 ? 'Days left' : 'And at days left'}
                name={`alert_rules/certificate/thresholds/${index}`}
                action={action}
                value={daysLeft}
                onText={text => set(index, { daysLeft: text })}
                input={{ type: 'number', step: 'any', min: 0.04, max: 398, inputMode: 'decimal' }}
              />
              <Pick
                label="Severity"
                value={severity}
                choices={severityChoices}
                onText={value => set(index, { severity: value as ThresholdDraft['severity'] })}
              />
              <button
                type="button"
                class="quiet"
                aria-label={`Remove the threshold of ${daysLeft} days`}
                onClick={() => onChange({ ...certificate, thresholds: thresholds.filter((_, at) => at !== index) })}
              >
                Remove
              </button>
            </div>
          ))}
          {error !== null && <p class="fault">{error}</p>}
          {thresholds.length < thresholdsMax && (
            <button
              type="button"
              onClick={() =>
                onChange({ ...certificate, thresholds: [...thresholds, { daysLeft: next, severity: 'p3' }] })
              }
            >
              Add a threshold
            </button>
          )}
          <Check
            label="Also mark the monitor as degraded"
            checked={inVerdict}
            onCheck={isIn => onChange({ ...certificate, inVerdict: isIn })}
          />
        </>
      )}
    </>
  );
}
