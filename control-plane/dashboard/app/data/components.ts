import type { Component, StatusPage } from './api-types.ts';

/** In the order of the public page. */
export function componentsOf(page: Pick<StatusPage, 'id'>, components: readonly Component[]): Component[] {
  return components
    .filter(({ status_page_id }) => status_page_id === page.id)
    .sort((left, right) => left.position - right.position);
}
