import test from 'ava';
import { describeVotes } from '#control-plane/web/dashboard/app/features/monitors/words.ts';

test('votes name the few regions that are not up, and count many', t => {
  const votes = (...list: ('up' | 'down' | 'unknown')[]) => list.map((vote, index) => ({ region: `r${index}`, vote }));
  t.is(describeVotes(votes('up', 'up')), 'all up');
  t.is(describeVotes(votes('up', 'down')), 'r1 down');
  t.is(describeVotes(votes('down', 'down', 'down')), 'all down');
  t.is(describeVotes(votes('down', 'unknown', 'down', 'up')), '2 down, 1 unknown');
});
