-- What belongs to a project was found by the conditions of statements alone. Facts and faults of no project are everybody's.
-- Not on `events`: row security and the columnstore exclude each other; a test of the repository reads its statements.
alter table facts enable row level security;
alter table facts force row level security;
create policy own on facts using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id is null or project_id = current_setting('app.project', true));
alter table region_faults enable row level security;
alter table region_faults force row level security;
create policy own on region_faults using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id is null or project_id = current_setting('app.project', true));
alter table page_slugs enable row level security;
alter table page_slugs force row level security;
create policy own on page_slugs using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
