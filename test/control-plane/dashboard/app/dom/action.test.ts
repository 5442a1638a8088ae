import test from 'ava';
import { ApiProblem } from '#control-plane/dashboard/app/data/api.ts';
import {
  createAction,
  createActions,
  describeError,
  fieldError,
  problemNote,
} from '#control-plane/dashboard/app/dom/action.ts';
import { textOf, textsOf } from '../descriptions.ts';

const invalid = new ApiProblem(422, {
  detail: 'the body is invalid',
  errors: [
    { pointer: '/name', code: 'required', detail: 'must not be empty' },
    { pointer: '/regions/0', code: 'unknown', detail: 'there is no region `mars`' },
    { parameter: 'limit', code: 'range', detail: 'must be at most 200' },
  ],
});

test('an action runs once at a time, shows its error, and forgets it with the next run', async t => {
  let draws = 0;
  const action = createAction(() => {
    draws += 1;
  });
  let finish: () => void = () => undefined;
  let runs = 0;
  const work = () => {
    runs += 1;
    return new Promise<void>(resolve => {
      finish = resolve;
    });
  };
  const running = action.run(work);
  await action.run(work);
  t.is(runs, 1);
  t.true(action.running);
  finish();
  await running;
  t.false(action.running);
  t.is(draws, 2);
  await action.run(() => Promise.reject('a string'));
  t.is(action.problem?.message, 'a string');
  await action.run(async () => undefined);
  t.is(action.problem, null);
});

test('each item of a list has an action of its own', t => {
  const actionOf = createActions(() => undefined);
  t.is(actionOf('a'), actionOf('a'));
  t.not(actionOf('a'), actionOf('b'));
});

test('an error is described in a sentence', t => {
  const timeout = Object.assign(new Error('aborted'), { name: 'TimeoutError' });
  const cases: [Error, string][] = [
    [
      new ApiProblem(403, { detail: 'this endpoint needs the scope `alerts:read`' }),
      'This endpoint needs the scope alerts:read.',
    ],
    [new ApiProblem(500, { detail: 'Try again!' }), 'Try again!'],
    [timeout, 'The server did not respond in time.'],
    [new TypeError('Failed to fetch'), 'The server cannot be reached.'],
  ];
  for (const [error, sentence] of cases) t.is(describeError(error), sentence);
});

test('a field shows its own error, and the note lists the others', t => {
  t.is(fieldError(invalid, 'name'), 'Must not be empty.');
  t.is(fieldError(invalid, 'regions'), 'There is no region mars.');
  t.is(fieldError(invalid, 'url'), null);
  t.is(fieldError(new Error('offline'), 'name'), null);
  const note = problemNote(invalid, ['name']);
  t.deepEqual(textsOf(note, 'p'), ['Please correct these fields:']);
  t.deepEqual(textsOf(note, 'li'), ['Regions there is no region mars.', 'Limit must be at most 200.']);
  t.is(textOf(problemNote(new TypeError('x'))), 'The server cannot be reached.');
  t.is(problemNote(null), null);
});
