import type { CheckList } from '../../data/checks.ts';
import { type Action, actionButton, problemNote } from '../../dom/action.ts';
import { type Description, element } from '../../dom/element.ts';
import { type Choices, filterSelect } from '../../dom/form.ts';
import { checkTable } from '../../parts/check-table.ts';
import { checkStatusChoices } from '../../parts/labels.ts';

/** The latest results of a monitor, with filters and older pages. */
export function renderChecks(
  regions: readonly string[],
  checks: CheckList,
  action: Action,
  nowMs: number,
): Description {
  const results = checks.checks();
  const empty = action.running ? 'Loading…' : 'No matching checks yet.';
  return element(
    'section',
    { class: 'card', key: 'checks' },
    element('h2', {}, 'Latest checks'),
    renderFilters(regions, checks, action),
    results.length === 0 ? element('p', { class: 'empty' }, empty) : checkTable(results, nowMs),
    checks.hasOlder() && actionButton('Show older', action, checks.loadOlder, { class: 'older' }),
    problemNote(action.problem),
  );
}

function renderFilters(regions: readonly string[], checks: CheckList, action: Action): Description {
  const select = (name: 'region' | 'status', label: string, choices: Choices) => {
    const onChange = (value: string) => {
      checks.setFilter({ [name]: value });
      void action.run(checks.load);
    };
    return filterSelect(label, [['', 'all'], ...choices], onChange, { value: checks.filter()[name] });
  };
  const regionChoices = regions.map(region => [region, region] as const);
  return element(
    'div',
    { class: 'filters' },
    select('region', 'Region', regionChoices),
    select('status', 'Result', checkStatusChoices),
  );
}
