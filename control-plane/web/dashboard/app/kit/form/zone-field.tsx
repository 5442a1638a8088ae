import { useMemo } from 'preact/hooks';
import { zoneNames } from '../../session/zoned-time.ts';
import { type Field, LineControl } from './controls.tsx';

/** A time zone by its name, with those that the browser knows to choose from. */
export function ZoneField({ field }: { field: Field<string> }) {
  const names = useMemo(zoneNames, []);
  return (
    <>
      <LineControl
        field={field}
        label="Time zone"
        input={{ list: 'time-zones', autocapitalize: 'none', autocomplete: 'off' }}
      />
      <datalist id="time-zones">
        {names.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
