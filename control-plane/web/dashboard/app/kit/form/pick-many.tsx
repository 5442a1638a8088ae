import { useState } from 'preact/hooks';
import { foldForSearch } from '#shared/search-folding.ts';
import type { Choices } from '../labels.ts';

type PickManyProps = {
  legend: string;
  choices: Choices;
  picked: readonly string[];
  onChange(picked: readonly string[]): void;
};

const shownMax = 40;

/** Checkboxes of a long list: what is picked stands first, the rest is found by typing. */
export function PickMany({ legend, choices, picked, onChange }: PickManyProps) {
  const [text, setText] = useState('');
  const words = foldForSearch(text).split(/\s+/).filter(Boolean);
  const isPicked = new Set(picked);
  const found = choices.filter(
    ([value, label]) => !isPicked.has(value) && words.every(word => foldForSearch(label).includes(word)),
  );
  const shown = [...choices.filter(([value]) => isPicked.has(value)), ...found.slice(0, shownMax)];
  const toggle = (value: string) =>
    onChange(isPicked.has(value) ? picked.filter(other => other !== value) : [...picked, value]);
  return (
    <fieldset>
      <legend>{legend}</legend>
      {choices.length > shownMax && (
        <input
          type="search"
          aria-label={`Search: ${legend}`}
          placeholder="Search"
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      )}
      <div class="boxes">
        {shown.map(([value, label]) => (
          <label key={value} class="box">
            <input type="checkbox" checked={isPicked.has(value)} onChange={() => toggle(value)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
      {found.length > shownMax && <p class="hint">{found.length - shownMax} more: type to find them.</p>}
    </fieldset>
  );
}
