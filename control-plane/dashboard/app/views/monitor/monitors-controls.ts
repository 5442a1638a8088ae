import type { Monitor } from '../../data/api-types.ts';
import { type Content, type Description, element } from '../../dom/element.ts';
import { badge } from '../../parts/badge.ts';
import { plural, presentation } from '../../parts/labels.ts';
import { type MonitorFilter, pageBounds, pageCount, statusesByUrgency } from './monitor-list.ts';

/** A chip per status in use with its count; pressed, it filters the list. */
export function renderStatusChips(
  monitors: readonly Monitor[],
  filter: MonitorFilter,
  setFilter: (change: Partial<MonitorFilter>) => void,
): Description {
  const chips = statusesByUrgency.map((status): Content => {
    const count = monitors.filter(monitor => monitor.status === status).length;
    const isPressed = filter.status === status;
    if (count === 0 && !isPressed) return null;
    const state = presentation('verdicts', status);
    const attributes = {
      key: status,
      type: 'button',
      class: 'chip',
      'aria-pressed': String(isPressed),
      onclick: () => setFilter({ status: isPressed ? null : status }),
    };
    return element('button', attributes, badge({ ...state, label: `${count} ${state.label.toLowerCase()}` }));
  });
  return element('div', { class: 'chips', role: 'group', 'aria-label': 'Filter by status' }, chips);
}

/** Previous and next page; nothing if all monitors fit on one. */
export function renderPageButtons(total: number, page: number, turnPage: (page: number) => void): Content {
  const lastPage = pageCount(total) - 1;
  if (lastPage < 1) return null;
  const button = (label: string, target: number) => {
    const isPossible = target >= 0 && target <= lastPage;
    // Not `disabled`, which would lose the focus at the last page.
    const attributes = { type: 'button', 'aria-disabled': isPossible ? null : 'true' };
    return element('button', { ...attributes, onclick: () => isPossible && turnPage(target) }, label);
  };
  const { first, last } = pageBounds(total, page);
  return element(
    'nav',
    { class: 'pages', 'aria-label': 'Pages' },
    button('Previous', page - 1),
    element('span', {}, `${first}–${last} of ${plural(total, 'monitor')}`),
    button('Next', page + 1),
  );
}
