import { type Composition, composeServer } from './compose.ts';
import { EmbeddedError } from './failure.ts';

/** Whether TimescaleDB is tried, demanded or left out. */
export type TimescaleChoice = 'auto' | 'require' | 'off';

/** The tree to run and, where TimescaleDB was wanted but is not there, one line that says why. */
export type ChosenServer = { tree: string; edition: Composition; notice: string | null };

type Choice = {
  timescale: TimescaleChoice;
  recorded: Composition | null;
  composeDir: string;
  progress: (line: string) => void;
};

const remedy = 'TimescaleDB comes by itself on Debian 12 and 13 with a reachable mirror; elsewhere set DATABASE_URL';
const kept = 'this data folder was created without TimescaleDB and stays so; a new DATA_DIR would have it';

/** Composes what the choice and the data folder's past allow: data made with one edition is never opened with the other. */
export async function chooseComposition({ timescale, recorded, composeDir, progress }: Choice): Promise<ChosenServer> {
  if (recorded === 'plain' && timescale === 'require') {
    throw new EmbeddedError(
      'TimescaleDB is required, but this data folder was created without it: choose a new DATA_DIR',
    );
  }
  if (recorded === 'apache' && timescale === 'off') {
    throw new EmbeddedError('this data folder was created with TimescaleDB: start with it, or choose a new DATA_DIR');
  }
  if (timescale === 'off' || recorded === 'plain') {
    const tree = await composeServer(composeDir, 'plain', progress);
    return { tree, edition: 'plain', notice: timescale === 'off' ? null : kept };
  }
  try {
    return { tree: await composeServer(composeDir, 'apache', progress), edition: 'apache', notice: null };
  } catch (error) {
    const reason = error instanceof EmbeddedError ? error.message : null;
    if (reason === null || timescale === 'require' || recorded === 'apache') throw withReason(error, recorded);
    const tree = await composeServer(composeDir, 'plain', progress);
    return { tree, edition: 'plain', notice: `running plain PostgreSQL without TimescaleDB: ${reason}. ${remedy}` };
  }
}

function withReason(error: unknown, recorded: Composition | null): unknown {
  if (!(error instanceof EmbeddedError)) return error;
  const need = recorded === 'apache' ? 'this data folder needs TimescaleDB' : 'TimescaleDB is required';
  return new EmbeddedError(`${need}, which cannot be had: ${error.message}. ${remedy}`, { cause: error });
}
