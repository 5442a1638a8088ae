import type { Fields } from '../../../kit/form/fields.tsx';
import { severityChoices } from '../../../kit/labels.ts';
import type { Monitor } from '../../../session/api-types.ts';
import { CertificateFields, DomainFields } from './certificate-fields.tsx';
import { hasCertificate } from './kind-draft.ts';
import type { RulesDraft } from './rules-draft.ts';

const number = { type: 'number', inputMode: 'numeric', min: 0 } as const;
const day = { ...number, max: 86_400 };

/** When alerts open and resolve. They change no verdict and no uptime. */
export function RuleFields({ form, kind }: { form: Fields<RulesDraft>; kind: Monitor['kind'] }) {
  const { hasFlap, hasDegraded } = form.draft;
  return (
    <section class="card">
      <h2>When alerts open and resolve</h2>
      <div class="pair">
        <form.Line
          name="confirm"
          at="confirm_seconds"
          label="Open after being down for (seconds)"
          input={{ ...number, max: 3600 }}
        />
        <form.Line name="recover" at="recover_seconds" label="Resolve after being up for (seconds)" input={day} />
      </div>
      <form.Check name="hasFlap" label="Keep one alert open while it flaps" />
      {hasFlap && (
        <div class="pair">
          <form.Line
            name="flapChanges"
            at="flap/changes"
            label="Outages that count as flapping"
            input={{ ...number, min: 3, max: 50 }}
          />
          <form.Line
            name="flapWindow"
            at="flap/window_seconds"
            label="Within (seconds)"
            hint="It resolves once this long has passed without another outage."
            input={{ ...day, min: 300 }}
          />
        </div>
      )}
      <form.Check name="hasDegraded" label="Alert when it is degraded" />
      {hasDegraded && (
        <div class="pair">
          <form.Line
            name="degradedAfter"
            at="degraded/after_seconds"
            label="After being degraded for (seconds)"
            input={day}
          />
          <form.Choice
            name="degradedSeverity"
            at="degraded/severity"
            label="Severity of these alerts"
            choices={severityChoices}
          />
        </div>
      )}
      {hasCertificate(kind) && <CertificateFields form={form.part('certificate')} />}
      {kind === 'domain' && <DomainFields form={form.part('domain')} />}
    </section>
  );
}
