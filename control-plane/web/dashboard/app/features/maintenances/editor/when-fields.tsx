import { ChoiceControl, LineControl } from '../../../kit/form/controls.tsx';
import { ZoneField } from '../../../kit/form/zone-field.tsx';
import { type Repeat, repeatChoices, weekdayOfStart } from '../recurrence.ts';
import type { FieldsProps } from './fields-props.ts';
import { isRecurring } from './maintenance-draft.ts';
import { ExcludedDates, RecurrenceFields } from './recurrence-fields.tsx';

const time = { type: 'datetime-local' } as const;

/** When the window lasts: once, or again and again by a rule. */
export function WhenFields({ form }: FieldsProps) {
  const { draft, change } = form;
  const recurs = isRecurring(draft);
  return (
    <section class="card">
      <h2>When</h2>
      <div class="pair two">
        <StartField form={form} />
        {recurs ? (
          <form.Line
            name="duration"
            at="schedule/duration_seconds"
            label="Duration (minutes)"
            input={{ type: 'number', min: 1, max: 10_080, inputMode: 'numeric' }}
          />
        ) : (
          <form.Line name="end" at="ends_at" label="End" input={time} />
        )}
        <ZoneField field={form.text('timezone', 'schedule/timezone')} />
        <RepeatField form={form} />
      </div>
      {recurs && <RecurrenceFields form={form.part('recurrence', 'schedule')} />}
      {recurs && <ExcludedDates dates={draft.exclude} onChange={exclude => change({ exclude })} />}
    </section>
  );
}

function StartField({ form }: FieldsProps) {
  const { start, recurrence } = form.draft;
  const move = (moved: string): void => {
    // A window on one weekday moves with its start.
    const isOnIt = recurrence.weekdays.length === 1 && recurrence.weekdays[0] === weekdayOfStart(start);
    const weekdays = isOnIt ? [weekdayOfStart(moved)] : recurrence.weekdays;
    form.change({ start: moved, recurrence: { ...recurrence, weekdays } });
  };
  const field = form.text('start', isRecurring(form.draft) ? 'schedule/start' : 'starts_at');
  return <LineControl field={{ ...field, set: move }} label="Start" input={time} />;
}

function RepeatField({ form }: FieldsProps) {
  const { start } = form.draft;
  const { draft, change, text } = form.part('recurrence', 'schedule');
  const choices = repeatChoices(start);
  // A start that moved away from the end of its month no longer has the choice that was made.
  const isOffered = choices.some(([each]) => each === draft.repeat);
  const repeat = (chosen: string): void => {
    const weekdays = chosen === 'weekly' ? [weekdayOfStart(start)] : draft.weekdays;
    change({ repeat: chosen as Repeat, weekdays });
  };
  const field = { ...text('repeat'), value: isOffered ? draft.repeat : 'monthly', set: repeat };
  return <ChoiceControl field={field} label="Repeats" choices={choices} />;
}
