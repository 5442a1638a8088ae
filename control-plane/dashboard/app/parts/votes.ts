import { unknownVoteWords } from '../../../design/labels.ts';
import type { Vote } from '../data/api-types.ts';
import { type Description, element } from '../dom/element.ts';
import { shape } from './badge.ts';
import { presentation } from './labels.ts';
import { age } from './time.ts';

/** The vote of each region and its age. */
export function voteList(votes: readonly Vote[], nowMs: number): Description {
  const items = votes.map(({ region, vote, as_of, reason }) => {
    const { tone, glyph, label } = presentation('votes', vote);
    return element(
      'li',
      { key: region, class: `vote ${tone}` },
      shape(glyph),
      element('span', { class: 'region' }, region),
      element('span', { class: 'word' }, label),
      reason !== null && element('span', { class: 'reason' }, unknownVoteWords[reason]),
      as_of !== null && element('span', { class: 'age' }, age(as_of, nowMs)),
    );
  });
  return element('ul', { class: 'votes', 'aria-label': 'Region votes' }, items);
}
