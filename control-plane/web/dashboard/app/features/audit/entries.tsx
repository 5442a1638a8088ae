import { plural } from '../../kit/plural.ts';
import { Ago } from '../../kit/time.tsx';
import type { AuditEntry } from '../../session/api-types.ts';
import { addressOf, type Difference, describeAction, describeActor, differencesOf } from './words.ts';

type Entry = AuditEntry & { config_version?: number | null; drops_votes?: boolean | null };
/** Fields that are shown at once: of a change, and of what was created or deleted. */
const [changedMax, wholeMax] = [5, 2];

/** Who changed what, with what differs. `isNamed`: the list is about several resources. */
export function AuditEntries({ entries, isNamed = true }: { entries: readonly Entry[]; isNamed?: boolean }) {
  return (
    <ul class="audit">
      {entries.map(entry => (
        <li key={entry.id} data-row>
          <div class="audit-head">
            <strong>{describeAction(entry.action)}</strong>
            {isNamed && <Subject entry={entry} />}
            {entry.config_version != null && <span class="tag">version {entry.config_version}</span>}
            {entry.drops_votes === true && entry.config_version !== 1 && <span class="tag">votes reset</span>}
            <span class="hint end">
              {describeActor(entry)}, <Ago at={entry.at} />
            </span>
          </div>
          <Change entry={entry} />
          {entry.also.length > 0 && (
            <details>
              <summary>{plural(entry.also.length, 'effect')} on other resources</summary>
              {entry.also.map(effect => (
                <div key={effect.subject}>
                  <p class="hint">
                    {effect.resource.replaceAll('_', ' ')} {effect.name ?? effect.subject}
                  </p>
                  <Differences differences={differencesOf(effect)} />
                </div>
              ))}
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

function Subject({ entry }: { entry: AuditEntry }) {
  const address = addressOf(entry);
  const name = entry.name ?? entry.subject;
  return address === null ? <span>{name}</span> : <a href={address}>{name}</a>;
}

/** A short change is shown at once, others unfold. */
function Change({ entry }: { entry: AuditEntry }) {
  const differences = differencesOf(entry);
  if (differences.length === 0) return entry.detail === null ? null : <code>{JSON.stringify(entry.detail)}</code>;
  const isWhole = entry.before === null || entry.after === null;
  if (differences.length <= (isWhole ? wholeMax : changedMax)) return <Differences differences={differences} />;
  return (
    <details>
      <summary>{plural(differences.length, 'field')}</summary>
      <Differences differences={differences} />
    </details>
  );
}

function Differences({ differences }: { differences: readonly Difference[] }) {
  return (
    <dl class="differences">
      {differences.map(({ field, before, after }) => [
        <dt key={`${field} name`}>
          <code>{field}</code>
        </dt>,
        <dd key={field}>
          {before !== null && (
            <del>
              <span class="unseen">before: </span>
              {before}
            </del>
          )}
          {after !== null && (
            <ins>
              <span class="unseen">after: </span>
              {after}
            </ins>
          )}
        </dd>,
      ])}
    </dl>
  );
}
