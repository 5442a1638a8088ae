import { shape } from './badge.ts';
import { type Description, element } from './element.ts';
import type { Vote } from './shapes.ts';
import { age } from './time.ts';
import { lookOf } from './words.ts';

/** The vote of each region and how old it is. */
export function votesOf(votes: readonly Vote[], nowMs: number): Description {
  const items = votes.map(({ region, vote, as_of }) => {
    const look = lookOf('votes', vote);
    return element(
      'li',
      { key: region, class: `vote ${look.tone}` },
      shape(look.shape),
      element('span', { class: 'region' }, region),
      element('span', { class: 'word' }, look.word),
      as_of !== null && element('span', { class: 'age' }, age(as_of, nowMs)),
    );
  });
  return element('ul', { class: 'votes', 'aria-label': 'Votes of the regions' }, items);
}
