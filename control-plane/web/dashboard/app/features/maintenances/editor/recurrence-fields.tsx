import { useState } from 'preact/hooks';
import { Checks, Line, Pick } from '../../../kit/form/controlled.tsx';
import type { Action } from '../../../session/action.ts';
import { type Recurrence, weekdayCodes } from '../recurrence.ts';

type RecurrenceFieldsProps = { recurrence: Recurrence; change(changes: Partial<Recurrence>): void; action: Action };
const weekdayLabels = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const units = { daily: 'days', weekly: 'weeks', yearly: 'years' } as const;
const number = { type: 'number', inputMode: 'numeric', min: 1 } as const;

/** How often, on which days and until when. */
export function RecurrenceFields({ recurrence, change, action }: RecurrenceFieldsProps) {
  const { repeat } = recurrence;
  if (repeat === 'custom')
    return (
      <Line
        label="Rule"
        name="schedule/rrule"
        action={action}
        value={recurrence.custom}
        onText={custom => change({ custom })}
        hint="RFC 5545: FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, WKST, COUNT or UNTIL."
        input={{ placeholder: 'FREQ=MONTHLY;BYDAY=-1SU', autocapitalize: 'none', spellcheck: false }}
      />
    );
  const unit = repeat === 'daily' || repeat === 'weekly' || repeat === 'yearly' ? units[repeat] : 'months';
  return (
    <>
      {repeat === 'weekly' && (
        <Checks
          legend="On"
          choices={weekdayCodes.map((code, index) => [code, weekdayLabels[index] ?? code] as const)}
          checked={weekdayCodes.filter(code => recurrence.weekdays.includes(code))}
          onChange={weekdays => change({ weekdays })}
          hint="The start must be on one of them."
        />
      )}
      <div class="pair">
        <Line
          label={`Interval (${unit})`}
          name="schedule/rrule"
          id="field-interval"
          action={action}
          value={recurrence.interval}
          onText={interval => change({ interval })}
          input={{ ...number, max: 366 }}
        />
        <Pick
          label="Ends"
          value={recurrence.ends}
          choices={[
            ['never', 'never'],
            ['until', 'on a date'],
            ['count', 'after a number of times'],
          ]}
          onText={ends => change({ ends: ends as Recurrence['ends'] })}
        />
        {recurrence.ends === 'until' && (
          <Line
            label="Last date"
            name="until"
            action={action}
            value={recurrence.until}
            onText={until => change({ until })}
            input={{ type: 'date' }}
          />
        )}
        {recurrence.ends === 'count' && (
          <Line
            label="Times"
            name="count"
            action={action}
            value={recurrence.count}
            onText={count => change({ count })}
            input={{ ...number, max: 1000 }}
          />
        )}
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
