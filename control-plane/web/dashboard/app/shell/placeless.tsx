import type { OwnProject, Person } from '../session/session.ts';
import { Outside } from './outside.tsx';
import { ProjectLinks } from './project-links.tsx';

type PlacelessProps = {
  person: Person;
  projects: readonly OwnProject[];
  /** The name of the project that was left, empty where it is not known; null where there never was one. */
  left: string | null;
  signOut(): void;
};

/** What a person sees who is in no project, or not in the one that the address names. */
export function Placeless({ person, projects, left, signOut }: PlacelessProps) {
  const title = left === null ? 'You are in no project' : `You are no longer a member of ${left || 'this project'}`;
  return (
    <Outside title={title}>
      {projects.length > 0 ? (
        <>
          <p>Open another of your projects:</p>
          <nav aria-label="Projects">
            <ProjectLinks projects={projects} />
          </nav>
        </>
      ) : (
        <p>Ask an admin of a project to invite you: they make a link in Settings › Members or over the API.</p>
      )}
      {person.operator && (
        <p>
          You run the installation: <a href="#/installation/projects">make or join a project</a>, or look at{' '}
          <a href="#/installation">its people</a>.
        </p>
      )}
      <p class="hint">
        Signed in as <a href="#/me">{person.name}</a>.
      </p>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </Outside>
  );
}
