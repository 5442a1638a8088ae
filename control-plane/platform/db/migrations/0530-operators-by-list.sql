-- Whether OPERATORS named the verified address of a person when they last signed in, by whichever way. What their
-- groups at the provider gave is apart: other ways of signing in do not know these.
alter table people add column operator_by_list boolean not null default false;
