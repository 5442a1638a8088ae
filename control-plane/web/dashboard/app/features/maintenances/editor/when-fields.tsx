import { Line, Pick } from '../../../kit/form/controlled.tsx';
import { ZoneField } from '../../../kit/form/zone-field.tsx';
import { fieldError } from '../../../session/error.ts';
import { type Recurrence, type Repeat, repeatChoices, weekdayOfStart } from '../recurrence.ts';
import type { FieldsProps } from './fields-props.ts';
import { isRecurring } from './maintenance-draft.ts';
import { ExcludedDates, RecurrenceFields } from './recurrence-fields.tsx';

/** When the window lasts: once, or again and again by a rule. */
export function WhenFields({ draft, change, action }: FieldsProps) {
  const recurs = isRecurring(draft);
  const { recurrence, start } = draft;
  const setRecurrence = (changes: Partial<Recurrence>) => change({ recurrence: { ...recurrence, ...changes } });
  const repeat = (chosen: Repeat): void => {
    const weekdays = chosen === 'weekly' ? [weekdayOfStart(start)] : recurrence.weekdays;
    setRecurrence({ repeat: chosen, weekdays });
  };
  const move = (moved: string): void => {
    // A window on one weekday moves with its start.
    const isOnIt = recurrence.weekdays.length === 1 && recurrence.weekdays[0] === weekdayOfStart(start);
    const weekdays = isOnIt ? [weekdayOfStart(moved)] : recurrence.weekdays;
    change({ start: moved, recurrence: { ...recurrence, weekdays } });
  };
  const choices = repeatChoices(start);
  // A start that moved away from the end of its month no longer has the choice that was made.
  const isOffered = choices.some(([each]) => each === recurrence.repeat);
  const scheduleFault = fieldError(action.problem, 'schedule/rrule');
  return (
    <section class="card">
      <h2>When</h2>
      <div class="pair two">
        <Line
          label="Start"
          name={recurs ? 'schedule/start' : 'starts_at'}
          id="field-start"
          action={action}
          value={start}
          onText={move}
          input={{ type: 'datetime-local' }}
        />
        {recurs ? (
          <Line
            label="Duration (minutes)"
            name="schedule/duration_seconds"
            id="field-duration"
            action={action}
            value={draft.duration}
            onText={duration => change({ duration })}
            input={{ type: 'number', min: 1, max: 10_080, inputMode: 'numeric' }}
          />
        ) : (
          <Line
            label="End"
            name="ends_at"
            id="field-end"
            action={action}
            value={draft.end}
            onText={end => change({ end })}
            input={{ type: 'datetime-local' }}
          />
        )}
        <ZoneField
          name="schedule/timezone"
          action={action}
          value={draft.timezone}
          onText={timezone => change({ timezone })}
        />
        <Pick
          label="Repeats"
          value={isOffered ? recurrence.repeat : 'monthly'}
          choices={choices}
          onText={value => repeat(value as Repeat)}
        />
      </div>
      {recurs && <RecurrenceFields recurrence={recurrence} change={setRecurrence} action={action} />}
      {recurs && <ExcludedDates dates={draft.exclude} onChange={exclude => change({ exclude })} />}
      {scheduleFault !== null && <p class="fault">The rule: {scheduleFault}</p>}
    </section>
  );
}
