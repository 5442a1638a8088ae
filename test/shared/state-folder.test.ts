import test from 'ava';
import { stateFolder } from '#shared/state-folder.ts';

for (const [env, isRoot, folder, home = '/home/ada'] of [
  [{}, false, '/home/ada/.local/state/upquorum'],
  [{}, true, '/var/lib/upquorum'],
  [{ XDG_STATE_HOME: '/state' }, false, '/state/upquorum'],
  [{ XDG_STATE_HOME: '/state' }, true, '/state/upquorum'],
  [{ XDG_STATE_HOME: ' /state ' }, false, '/state/upquorum'],
  [{}, false, '/var/lib/upquorum', null],
  [{ XDG_STATE_HOME: '  ' }, false, '/home/ada/.local/state/upquorum'],
] as const)
  test(`with ${JSON.stringify(env)}${isRoot ? ' as root' : ''}, home ${home}, the state is in ${folder}`, t => {
    t.is(stateFolder(env, home, isRoot), folder);
  });
