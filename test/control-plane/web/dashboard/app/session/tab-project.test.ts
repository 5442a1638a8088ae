import test from 'ava';
import { secretOf } from '#control-plane/web/dashboard/app/session/link.ts';
import { chooseProject, projectOfPath } from '#control-plane/web/dashboard/app/session/tab-project.ts';

const common = { csrf_token: 'c', expires_at: '' };
const projectOf = (id: string) => ({ id, name: id, role: 'viewer' as const, scopes: [`${id}:read`] });
const person = { id: 'usr_1', name: 'Ada', email: null, operator: false };

test('the address names the project; without one the last is open, or the first', t => {
  const signedIn = { ...common, person, projects: [projectOf('proj_a'), projectOf('proj_b')] };
  const cases: [string, string | null, string | null][] = [
    ['/', null, 'proj_a'],
    ['/', 'proj_b', 'proj_b'],
    ['/', 'proj_x', 'proj_a'],
    ['/p/proj_b', 'proj_a', 'proj_b'],
    ['/p/proj_b/', null, 'proj_b'],
    ['/p/proj_x', 'proj_a', null],
  ];
  for (const [path, last, id] of cases) {
    const chosen = chooseProject(signedIn, path, last);
    t.is(chosen.kind === 'in' ? chosen.session.project_id : null, id, path);
    if (chosen.kind === 'in') t.deepEqual(chosen.session.scopes, [`${id}:read`]);
    else t.is(chosen.id, 'proj_x');
  }
  t.like(chooseProject({ ...signedIn, projects: [] }, '/', 'proj_a'), { kind: 'outside', id: null });
});

test('a session of a token is in its own project, also as older replicas show it', t => {
  const token = { ...common, person: null, project_id: 'proj_t', token_id: 'tok_1', scopes: ['*'] };
  const older = Object.fromEntries(Object.entries(token).filter(([name]) => name !== 'person')) as typeof token;
  for (const signedIn of [token, older])
    t.like(chooseProject(signedIn, '/p/proj_x', 'proj_y'), {
      kind: 'in',
      session: { project_id: 'proj_t', token_id: 'tok_1', person: null, project: null },
    });
});

test('only a whole address of a project names one, and only a whole fragment holds a secret', t => {
  t.is(projectOfPath('/p/proj_1'), 'proj_1');
  for (const path of ['/', '/p', '/p/', '/p/a/b', '/p/a-b', '/p/%2e', '/x/p/proj_1', `/p/${'a'.repeat(101)}`])
    t.is(projectOfPath(path), null, path);
  t.is(secretOf('#upi_abcDEF123'), 'upi_abcDEF123');
  for (const fragment of ['', '#', '#upi_', '#ups_abc', '#upi_a b', '#upi_a/', 'upi_abc', `#upi_${'a'.repeat(101)}`])
    t.is(secretOf(fragment), null, fragment);
});
