import { useState } from 'preact/hooks';
import { foldForSearch } from '#shared/search-folding.ts';
import { later } from '../kit/later.tsx';
import type { OwnProject } from '../session/session.ts';
import { ProjectLinks } from './project-links.tsx';

const NewProject = later(
  () => import('../features/settings.ts'),
  views => views.NewProject,
);
const filteredFrom = 8;

type SwitcherProps = {
  projects: readonly OwnProject[];
  current: string;
  /** Whether the person runs the installation. */
  canMake: boolean;
};

/** The projects of a person, with a filter where there are many. */
export function ProjectSwitcher({ projects, current, canMake }: SwitcherProps) {
  const [text, setText] = useState('');
  const [isMaking, setMaking] = useState(false);
  const words = foldForSearch(text).split(/\s+/).filter(Boolean);
  const found = projects.filter(({ name }) => words.every(word => foldForSearch(name).includes(word)));
  return (
    <nav class="switcher" aria-label="Projects">
      {projects.length >= filteredFrom && (
        <label class="field">
          <span class="label">Find a project</span>
          <input type="search" value={text} onInput={event => setText(event.currentTarget.value)} />
        </label>
      )}
      <ProjectLinks projects={found} current={current} />
      {found.length === 0 && projects.length > 0 && <p class="empty">Nothing matches.</p>}
      {canMake && (
        <button type="button" class="link" onClick={() => setMaking(true)}>
          New project
        </button>
      )}
      {isMaking && <NewProject close={() => setMaking(false)} />}
    </nav>
  );
}
