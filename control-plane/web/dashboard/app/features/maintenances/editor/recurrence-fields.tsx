import { useState } from 'preact/hooks';
import type { Fields } from '../../../kit/form/fields.tsx';
import { type Recurrence, weekdayCodes } from '../recurrence.ts';

const weekdayLabels = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const weekdayChoices = weekdayCodes.map((code, index) => [code, weekdayLabels[index] ?? code] as const);
const endChoices = [
  ['never', 'never'],
  ['until', 'on a date'],
  ['count', 'after a number of times'],
] as const;
const units = { daily: 'days', weekly: 'weeks', yearly: 'years' } as const;
const number = { type: 'number', inputMode: 'numeric', min: 1 } as const;

/** How often, on which days and until when. */
export function RecurrenceFields({ form }: { form: Fields<Recurrence> }) {
  const { repeat, ends } = form.draft;
  if (repeat === 'custom')
    return (
      <form.Line
        name="custom"
        at="rrule"
        label="Rule"
        hint="RFC 5545: FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, WKST, COUNT or UNTIL."
        input={{ placeholder: 'FREQ=MONTHLY;BYDAY=-1SU', autocapitalize: 'none', spellcheck: false }}
      />
    );
  const unit = repeat === 'daily' || repeat === 'weekly' || repeat === 'yearly' ? units[repeat] : 'months';
  return (
    <>
      {repeat === 'weekly' && (
        <form.Checks name="weekdays" legend="On" choices={weekdayChoices} hint="The start must be on one of them." />
      )}
      <div class="pair">
        <form.Line name="interval" at="rrule" label={`Interval (${unit})`} input={{ ...number, max: 366 }} />
        <form.Choice name="ends" label="Ends" choices={endChoices} />
        {ends === 'until' && <form.Line name="until" label="Last date" input={{ type: 'date' }} />}
        {ends === 'count' && <form.Line name="count" label="Times" input={{ ...number, max: 1000 }} />}
      </div>
    </>
  );
}

type ExcludedDatesProps = { dates: readonly string[]; onChange(dates: readonly string[]): void };

/** Dates on which the window does not take place. */
export function ExcludedDates({ dates, onChange }: ExcludedDatesProps) {
  const [typed, setTyped] = useState('');
  const add = (): void => {
    if (typed !== '' && !dates.includes(typed)) onChange([...dates, typed].sort());
    setTyped('');
  };
  return (
    <fieldset>
      <legend>Not on these dates</legend>
      {dates.length > 0 && (
        <ul class="chips">
          {dates.map(date => (
            <li key={date}>
              <button
                type="button"
                class="chip"
                aria-label={`Do not leave out ${date}`}
                onClick={() => onChange(dates.filter(each => each !== date))}
              >
                {date} ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="header-row">
        <input
          type="date"
          aria-label="Date to leave out"
          value={typed}
          onInput={event => setTyped(event.currentTarget.value)}
        />
        <button type="button" onClick={add}>
          Leave out
        </button>
      </div>
    </fieldset>
  );
}
