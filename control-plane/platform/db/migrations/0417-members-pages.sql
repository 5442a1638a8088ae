-- From when on cookies of status pages count for a member: not before they joined, nor before they signed out
-- everywhere. A membership rests while its person is deactivated.
alter table members
  add column signed_out_at timestamptz(3),
  add column resting boolean not null default false;
update members set resting = true
where person_id in (select id from people where state = 'deactivated');

-- The member who subscribed on a page for members: the subscription ends with the membership.
alter table subscribers add column person_id text collate "C";
create index on subscribers (person_id) where person_id is not null;
