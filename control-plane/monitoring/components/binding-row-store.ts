import { type Fragment, fragment, identifier } from '../../platform/db/sql.ts';

// A row binds a monitor to a component by its ID, by the component's selector, or both. Each way has its flag, and a
// row lasts as long as one of them is true.

type Way = 'by_id' | 'by_selector';

const flagsOf = (way: Way) => ({
  own: identifier(way),
  other: identifier(way === 'by_id' ? 'by_selector' : 'by_id'),
});

/** Common table expressions that end the bindings of one way in `unwanted (component_id, monitor_id)`. */
export function withoutUnwanted(way: Way): Fragment {
  const { own, other } = flagsOf(way);
  return fragment`
    unflagged as (
      update component_monitors b
      set ${own} = false
      from unwanted u
      where b.component_id = u.component_id
        and b.monitor_id = u.monitor_id
        and b.${other}
    ), removed as (
      delete from component_monitors b
      using unwanted u
      where b.component_id = u.component_id
        and b.monitor_id = u.monitor_id
        and not b.${other}
    )`;
}

/** A statement that binds the pairs of a query one way; those that are bound so already are not touched. */
export function insertBindings(way: Way, projectId: string, pairs: Fragment): Fragment {
  const { own } = flagsOf(way);
  return fragment`
      insert into component_monitors as b (component_id, monitor_id, project_id, by_id, by_selector)
      select component_id, monitor_id, ${projectId}, ${way === 'by_id'}, ${way === 'by_selector'}
      from (${pairs}) as pairs (component_id, monitor_id)
      order by component_id, monitor_id
      on conflict (component_id, monitor_id) do update
      set ${own} = true
      where not b.${own}`;
}
