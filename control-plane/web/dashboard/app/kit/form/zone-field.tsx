import { useMemo } from 'preact/hooks';
import type { Action } from '../../session/action.ts';
import { zoneNames } from '../../session/zoned-time.ts';
import { Line } from './controlled.tsx';

type ZoneFieldProps = { name: string; value: string; action: Action; onText(text: string): void };

/** A time zone by its name, with those that the browser knows to choose from. */
export function ZoneField(props: ZoneFieldProps) {
  const names = useMemo(zoneNames, []);
  return (
    <>
      <Line {...props} label="Time zone" input={{ list: 'time-zones', autocomplete: 'off' }} />
      <datalist id="time-zones">
        {names.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
