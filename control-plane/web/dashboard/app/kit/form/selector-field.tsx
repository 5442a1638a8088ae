import { useEffect, useState } from 'preact/hooks';
import { useAnswer } from '../../session/answer.ts';
import { read } from '../../session/api.ts';
import { useApp } from '../../session/app.ts';
import { describeError } from '../../session/error.ts';
import { plural } from '../plural.ts';
import { type Field, LineControl } from './controls.tsx';

const countedMax = 200;
const namedMax = 3;
const offeredMax = 12;

/** A selector of labels, with those in use to pick from and the monitors that match now. */
export function SelectorField({ field, label }: { field: Field<string>; label: string }) {
  const { value, set } = field;
  const { can } = useApp();
  const canLook = can('monitors:read');
  const append = (term: string) => set(value.trim() === '' ? term : `${value.trim()}, ${term}`);
  return (
    <div class="selector-field">
      <LineControl
        field={field}
        label={label}
        input={{ placeholder: 'env=prod, tier in (1, 2)', autocapitalize: 'none', spellcheck: false, maxLength: 1000 }}
      />
      {canLook && <Matching selector={value.trim()} />}
      {canLook && <LabelsInUse append={append} />}
    </div>
  );
}

function Matching({ selector }: { selector: string }) {
  const { api } = useApp();
  const query = { selector, limit: countedMax };
  const answer = useAnswer(selector === '' ? null : selector, () =>
    read(api.client.GET('/v0/monitors', { params: { query } })),
  );
  if (selector === '') return null;
  if (answer.problem !== null) return <p class="fault">{describeError(answer.problem)}</p>;
  if (answer.value === null) return <p class="hint">Looking…</p>;
  const { data, pagination } = answer.value;
  if (data.length === 0) return <p class="hint">No monitor matches now.</p>;
  const names = data.slice(0, namedMax).map(({ name }) => name);
  const more = data.length > namedMax || pagination.has_more ? ', …' : '';
  const count = pagination.has_more ? `more than ${plural(countedMax, 'monitor')}` : plural(data.length, 'monitor');
  return (
    <p class="hint" role="status">
      Matches {count} now: {names.join(', ')}
      {more}
    </p>
  );
}

/** The most frequent labels, as buttons that add them. */
function LabelsInUse({ append }: { append(term: string): void }) {
  const { api } = useApp();
  const [terms, setTerms] = useState<readonly string[]>([]);
  useEffect(() => {
    let isCurrent = true;
    read(api.client.GET('/v0/labels')).then(
      ({ data }) => {
        const found = data.flatMap(({ key, values }) =>
          values.map(({ value, monitors }) => ({ term: termOf(key, value), monitors })),
        );
        found.sort((left, right) => right.monitors - left.monitors);
        if (isCurrent) setTerms(found.slice(0, offeredMax).map(({ term }) => term));
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  if (terms.length === 0) return null;
  return (
    <div class="chips">
      {terms.map(term => (
        <button key={term} type="button" class="chip" aria-label={`Add ${term}`} onClick={() => append(term)}>
          {term}
        </button>
      ))}
    </div>
  );
}

/** A value with other characters stands in quotes, as a JSON string. */
function termOf(key: string, value: string): string {
  return /^[\w.:/+-]+$/.test(value) ? `${key}=${value}` : `${key}=${JSON.stringify(value)}`;
}
