import { unknownVoteWords } from '#control-plane/platform/design/labels.ts';
import { describeFailure } from '#shared/checks/failure-words.ts';
import { Shape } from '../../kit/badge.tsx';
import { presentation } from '../../kit/labels.ts';
import { Since } from '../../kit/time.tsx';
import type { Monitor, Vote } from '../../session/api-types.ts';
import { capabilityWord } from '../regions/words.ts';
import { describeVotes } from './words.ts';

type Unable = Monitor['unable_regions'];

/** The vote of each region and its age; of a region without a vote, why. */
export function VoteList({ votes, unable }: { votes: readonly Vote[]; unable: Unable }) {
  return (
    <ul class="votes" aria-label="Region votes">
      {votes.map(({ region, vote, as_of, reason, partial_addresses: partial }) => {
        const { tone, glyph, label } = presentation('votes', vote);
        return (
          <li key={region} class={`vote ${tone}`}>
            <Shape name={glyph} />
            <span class="region">{region}</span>
            <span class="word">{label}</span>
            {reason !== null && <span class="reason">{describeLack(unable, region) ?? unknownVoteWords[reason]}</span>}
            {partial != null && (
              <span class="reason">
                {partial.answering} of {partial.total} addresses answer, not{' '}
                {partial.failing.map(describeAddress).join(', ')}
              </span>
            )}
            {as_of !== null && (
              <span class="age">
                <Since at={as_of} />
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function describeAddress({ address, error_code: code }: NonNullable<Vote['partial_addresses']>['failing'][number]) {
  return code === null ? address : `${address} (${describeFailure(code)})`;
}

/** What no agent of the region can do; null if agents are online that can do it all, or none is. */
function describeLack(unable: Unable, region: string): string | null {
  const lacking = unable.find(each => each.region === region && each.reason === 'no_able_agent');
  return lacking === undefined ? null : `no agent there has ${lacking.missing.map(capabilityWord).join(', ')}`;
}

const dotsMax = 8;

/** One shape per region, and words only for those that do not vote up. */
export function VoteDots({ votes }: { votes: readonly Vote[] }) {
  const text = describeVotes(votes);
  const isOdd = votes.some(({ vote }) => vote !== 'up' && vote !== 'unknown');
  return (
    <span class="dots" title={text}>
      {votes.slice(0, dotsMax).map(({ region, vote }) => {
        const { tone, glyph } = presentation('votes', vote);
        return (
          <span key={region} class={`dot ${tone}`}>
            <Shape name={glyph} />
          </span>
        );
      })}
      <span class={isOdd ? 'odd' : 'unseen'}>{text}</span>
    </span>
  );
}
