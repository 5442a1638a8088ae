import { Badge } from '../../../kit/badge.tsx';
import { presentation } from '../../../kit/labels.ts';
import type { Monitor } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { type MonitorFilter, readSavedFilter, statusesByUrgency } from './monitor-list.ts';
import { forgetFilter, savedFilters, saveFilter } from './saved-filters.ts';

type FiltersProps = {
  monitors: readonly Monitor[];
  filter: MonitorFilter;
  change(changes: Partial<MonitorFilter>): void;
};

/** Search, and a chip per status in use with its count; pressed, it filters the list. */
export function MonitorFilters({ monitors, filter, change }: FiltersProps) {
  return (
    <div class="filters">
      <input
        type="search"
        data-search
        aria-label="Search monitors by name, URL, region or label"
        placeholder="Search by name, URL, region or label"
        value={filter.text}
        onInput={event => change({ text: event.currentTarget.value })}
      />
      <div class="chips" role="group" aria-label="Filter by status">
        {statusesByUrgency.map(status => (
          <StatusChip key={status} status={status} monitors={monitors} filter={filter} change={change} />
        ))}
      </div>
      <Saved filter={filter} change={change} />
      <Density />
    </div>
  );
}

/** The filters that were saved in this browser, and the one in use, to save it. */
function Saved({ filter, change }: Omit<FiltersProps, 'monitors'>) {
  const { text, status } = filter;
  const query = JSON.stringify([text.trim(), status]);
  const label = [text.trim(), status === null ? '' : presentation('verdicts', status).label].filter(Boolean).join(', ');
  const isSaved = savedFilters.value.some(saved => saved.query === query);
  return (
    <div class="chips" role="group" aria-label="Saved filters">
      {savedFilters.value.map(saved => (
        <span key={saved.query} class="chip-pair">
          <button
            type="button"
            class="chip"
            aria-pressed={saved.query === query}
            onClick={() => change(saved.query === query ? { text: '', status: null } : readSavedFilter(saved.query))}
          >
            {saved.label}
          </button>
          <button
            type="button"
            class="chip"
            aria-label={`Delete the saved filter ${saved.label}`}
            onClick={() => forgetFilter(saved.query)}
          >
            ×
          </button>
        </span>
      ))}
      {label !== '' && !isSaved && (
        <button type="button" class="chip" onClick={() => saveFilter({ label, query })}>
          Save filter
        </button>
      )}
    </div>
  );
}

function Density() {
  const { density } = useApp();
  const isCompact = density.value === 'compact';
  const toggle = () => {
    density.value = isCompact ? 'normal' : 'compact';
    // The rows have another height now.
    requestAnimationFrame(() => dispatchEvent(new Event('resize')));
  };
  return (
    <button type="button" class="chip" aria-pressed={isCompact} onClick={toggle}>
      Compact
    </button>
  );
}

function StatusChip({ status, monitors, filter, change }: FiltersProps & { status: Monitor['status'] }) {
  const count = monitors.filter(monitor => monitor.status === status).length;
  const isPressed = filter.status === status;
  if (count === 0 && !isPressed) return null;
  const state = presentation('verdicts', status);
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={isPressed}
      onClick={() => change({ status: isPressed ? null : status })}
    >
      <Badge state={state} text={`${count} ${state.label.toLowerCase()}`} />
    </button>
  );
}
