import type { Monitor } from '../../data/api-types.ts';
import { type MonitorFilter, statusesByUrgency } from '../../data/monitor-list.ts';
import { Badge } from '../../parts/badge.tsx';
import { presentation } from '../../parts/labels.ts';

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
    </div>
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
