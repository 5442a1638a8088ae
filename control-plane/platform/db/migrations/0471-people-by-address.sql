-- Who asks for a sign-in link by email is found by the verified address.
create index if not exists people_verified_email on people (lower(email)) where email_verified;
