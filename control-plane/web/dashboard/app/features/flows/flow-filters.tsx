import { useEffect, useState } from 'preact/hooks';
import { Filter } from '../../kit/form/filter.tsx';
import { read } from '../../session/api.ts';
import type { Flow } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { type FlowView, groupChoices, propertiesOf, rangeChoices } from './flow-view.ts';
import { useServerValue } from './typed.ts';

type FlowFiltersProps = {
  flow: Flow | null;
  view: FlowView;
  onChange(changes: Readonly<Record<string, string>>): void;
};

/** Which entries a funnel counts, and how it groups them. */
export function FlowFilters({ flow, view, onChange }: FlowFiltersProps) {
  const { days, group, property } = view;
  return (
    <div class="filters">
      <Filter label="Last" value={String(days)} choices={rangeChoices} onChange={value => onChange({ days: value })} />
      <Filter label="Group by" value={group} choices={groupChoices(days)} onChange={by => onChange({ by })} />
      {group === 'property' && flow !== null && (
        <PropertyFilter flow={flow} value={property} onChange={name => onChange({ property: name })} />
      )}
    </div>
  );
}

const sampleMax = 100;

/** The name of a property, with those of the first step's latest events to pick from. */
function PropertyFilter({ flow, value, onChange }: { flow: Flow; value: string; onChange(value: string): void }) {
  const { api, can } = useApp();
  const [names, setNames] = useState<readonly string[]>(() => propertiesOf(flow, []));
  const event = flow.steps[0]?.event ?? '';
  useEffect(() => {
    if (!can('events:read')) return;
    let isCurrent = true;
    read(api.client.GET('/v0/events', { params: { query: { name: event, limit: sampleMax } } })).then(
      ({ data }) => {
        if (isCurrent) setNames(propertiesOf(flow, data));
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [event]);
  return (
    <>
      <label class="filter">
        <span>Property of {event}</span>
        <input
          list="flow-properties"
          ref={useServerValue<HTMLInputElement>(value)}
          placeholder="plan"
          autocapitalize="none"
          spellcheck={false}
          maxLength={200}
          onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
        />
      </label>
      <datalist id="flow-properties">
        {names.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
