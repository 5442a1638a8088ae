import { Check, Line, Pick } from '../../../kit/form/controlled.tsx';
import { severityChoices } from '../../../kit/labels.ts';
import type { Action } from '../../../session/action.ts';
import { CertificateFields } from './certificate-fields.tsx';
import type { RulesDraft } from './rules-draft.ts';

type RuleFieldsProps = { rules: RulesDraft; onChange(rules: RulesDraft): void; action: Action };
const number = { type: 'number', inputMode: 'numeric', min: 0 } as const;

/** When alerts open and resolve. They change no verdict and no uptime. */
export function RuleFields({ rules, onChange, action }: RuleFieldsProps) {
  const change = (changes: Partial<RulesDraft>) => onChange({ ...rules, ...changes });
  return (
    <section class="card">
      <h2>When alerts open and resolve</h2>
      <div class="pair">
        <Line
          label="Open after being down for (seconds)"
          name="alert_rules/confirm_seconds"
          action={action}
          value={rules.confirm}
          onText={confirm => change({ confirm })}
          input={{ ...number, max: 3600 }}
        />
        <Line
          label="Resolve after being up for (seconds)"
          name="alert_rules/recover_seconds"
          action={action}
          value={rules.recover}
          onText={recover => change({ recover })}
          input={{ ...number, max: 86_400 }}
        />
      </div>
      <Check
        label="Keep one alert open while it flaps"
        checked={rules.hasFlap}
        onCheck={hasFlap => change({ hasFlap })}
      />
      {rules.hasFlap && (
        <div class="pair">
          <Line
            label="Outages that count as flapping"
            name="alert_rules/flap/changes"
            action={action}
            value={rules.flapChanges}
            onText={flapChanges => change({ flapChanges })}
            input={{ ...number, min: 3, max: 50 }}
          />
          <Line
            label="Within (seconds)"
            name="alert_rules/flap/window_seconds"
            action={action}
            value={rules.flapWindow}
            onText={flapWindow => change({ flapWindow })}
            hint="It resolves once this long has passed without another outage."
            input={{ ...number, min: 300, max: 86_400 }}
          />
        </div>
      )}
      <Check
        label="Alert when it is degraded"
        checked={rules.hasDegraded}
        onCheck={hasDegraded => change({ hasDegraded })}
      />
      {rules.hasDegraded && (
        <div class="pair">
          <Line
            label="After being degraded for (seconds)"
            name="alert_rules/degraded/after_seconds"
            action={action}
            value={rules.degradedAfter}
            onText={degradedAfter => change({ degradedAfter })}
            input={{ ...number, max: 86_400 }}
          />
          <Pick
            label="Severity of these alerts"
            value={rules.degradedSeverity}
            choices={severityChoices}
            onText={value => change({ degradedSeverity: value as RulesDraft['degradedSeverity'] })}
          />
        </div>
      )}
      <CertificateFields
        certificate={rules.certificate}
        onChange={certificate => change({ certificate })}
        action={action}
      />
    </section>
  );
}
