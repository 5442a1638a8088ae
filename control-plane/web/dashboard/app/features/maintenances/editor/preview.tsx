import { plural } from '../../../kit/plural.ts';
import { formatLength, formatSpan } from '../../../kit/span.ts';
import { useAnswer } from '../../../session/answer.ts';
import { ApiProblem, read } from '../../../session/api.ts';
import type { MaintenancePreview } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { describeError } from '../../../session/error.ts';
import { describeRecurrence } from '../recurrence.ts';
import type { Choosable } from './fields-props.ts';
import { isRecurring, type MaintenanceDraft, maintenanceBody } from './maintenance-draft.ts';

const occurrencesShown = 6;

/** What the window would cover and hold, asked while it is edited. */
export function Preview({ draft, choosable }: { draft: MaintenanceDraft; choosable: Choosable }) {
  const { api } = useApp();
  const body = { ...maintenanceBody(draft), title: draft.title.trim() || 'Preview' };
  const { scope } = body;
  const isEmpty =
    scope.selector === null &&
    [scope.monitor_ids, scope.component_ids, scope.status_page_ids].every(ids => (ids ?? []).length === 0);
  const answer = useAnswer(isEmpty ? null : JSON.stringify(body), () =>
    read(api.client.POST('/v0/maintenances/preview', { body })),
  );
  return (
    <aside class="card draft-preview" aria-label="Preview">
      <h2>Preview</h2>
      {isEmpty && <p class="hint">Choose what the window covers to see what it would do.</p>}
      {answer.problem !== null && <Faults problem={answer.problem} />}
      {answer.value === null && answer.isWaiting && <div class="bone" />}
      {answer.value !== null && <Found preview={answer.value} draft={draft} choosable={choosable} />}
    </aside>
  );
}

function Faults({ problem }: { problem: Error }) {
  const errors = problem instanceof ApiProblem ? problem.errors : [];
  if (errors.length === 0) return <p class="fault">{describeError(problem)}</p>;
  return (
    <ul class="fault">
      {errors.map(({ pointer, detail }) => (
        <li key={`${pointer}${detail}`}>
          {pointer?.split('/').slice(1).join(' ').replaceAll('_', ' ')} {detail}.
        </li>
      ))}
    </ul>
  );
}

type FoundProps = { preview: MaintenancePreview; draft: MaintenanceDraft; choosable: Choosable };

function Found({ preview: { occurrences, monitors, components, status_pages }, draft, choosable }: FoundProps) {
  const { zone, now } = useApp();
  const coming = occurrences.filter(({ ends_at }) => Date.parse(ends_at) > now.value);
  const shown = coming.length > 0 ? coming : occurrences;
  const [first] = shown;
  const names = (ids: readonly string[], known: readonly { id: string; name: string }[]) =>
    ids.map(each => known.find(({ id }) => id === each)?.name ?? each).join(', ');
  return (
    <div role="status">
      <p>
        <strong>{plural(monitors, 'monitor')}</strong> {monitors === 1 ? 'matches' : 'match'} now.
      </p>
      {monitors === 0 && <p class="fault">Nothing would be in maintenance.</p>}
      <p>{effectOf(draft)}</p>
      {components.length > 0 && <p>Components: {names(components, choosable.components)}.</p>}
      {draft.announced && (
        <p>
          {status_pages.length === 0 ? 'No status page shows it.' : `Shown on ${names(status_pages, choosable.pages)}.`}
        </p>
      )}
      <h3>
        {isRecurring(draft) ? describeRecurrence(draft.recurrence, draft.start) : 'Once'}
        {first !== undefined && `, for ${formatLength(first.starts_at, first.ends_at)}`}
      </h3>
      <ol class="lines">
        {shown.slice(0, occurrencesShown).map(({ starts_at, ends_at }) => (
          <li key={starts_at}>{formatSpan(starts_at, ends_at, zone.value)}</li>
        ))}
      </ol>
      {coming.length === 0 && <p class="hint">All of it is past: uptime changes, and nobody is notified.</p>}
      {shown.length > occurrencesShown && <p class="hint">and so on</p>}
    </div>
  );
}

function effectOf({ alerts, settleSeconds, excludeFromUptime }: MaintenanceDraft): string {
  const held =
    alerts === 'hold'
      ? `Alerts that open inside are held; those still open ${settleSeconds} s after the end are sent.`
      : 'Alerts are sent as usual.';
  return `${held} The time ${excludeFromUptime ? 'does not count' : 'counts'} in uptime.`;
}
