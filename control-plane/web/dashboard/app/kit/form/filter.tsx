import type { Choices } from '../labels.ts';
import { Options } from './controls.tsx';

type FilterProps = { label: string; value: string; choices: Choices; onChange(value: string): void };

/** A compact select above a list. */
export function Filter({ label, value, choices, onChange }: FilterProps) {
  return (
    <label class="filter">
      <span>{label}</span>
      <select value={value} onChange={event => onChange(event.currentTarget.value)}>
        <Options choices={choices} />
      </select>
    </label>
  );
}
