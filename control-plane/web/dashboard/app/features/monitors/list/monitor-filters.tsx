import { Badge } from '../../../kit/badge.tsx';
import { presentation } from '../../../kit/labels.ts';
import type { Monitor } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { kindWords } from '../editor/kind-words.ts';
import { kindsIn, type MonitorFilter, readSavedFilter, savedText, statusesByUrgency } from './monitor-list.ts';
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
      <KindFilter monitors={monitors} filter={filter} change={change} />
      <Saved filter={filter} change={change} />
      <Density />
    </div>
  );
}

/** The filters that were saved in this browser, and the one in use, to save it. */
function Saved({ filter, change }: Omit<FiltersProps, 'monitors'>) {
  const { text, status, kind } = filter;
  const query = savedText(filter);
  const ofStatus = status === null ? '' : presentation('verdicts', status).label;
  const label = [text.trim(), ofStatus, kind === null ? '' : kindWords[kind].name].filter(Boolean).join(', ');
  const isSaved = savedFilters.value.some(saved => saved.query === query);
  return (
    <div class="chips" role="group" aria-label="Saved filters">
      {savedFilters.value.map(saved => (
        <span key={saved.query} class="chip-pair">
          <button
            type="button"
            class="chip"
            aria-pressed={saved.query === query}
            onClick={() =>
              change(saved.query === query ? { text: '', status: null, kind: null } : readSavedFilter(saved.query))
            }
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

/** Offered where monitors are of several kinds. */
function KindFilter({ monitors, filter, change }: FiltersProps) {
  const kinds = kindsIn(monitors);
  if (kinds.length < 2 && filter.kind === null) return null;
  return (
    <select
      aria-label="Filter by kind"
      value={filter.kind ?? ''}
      onChange={({ currentTarget: { value } }) => change({ kind: kinds.find(kind => kind === value) ?? null })}
    >
      <option value="">All kinds</option>
      {kinds.map(kind => (
        <option key={kind} value={kind}>
          {kindWords[kind].name}
        </option>
      ))}
    </select>
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
