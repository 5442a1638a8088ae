#!/bin/sh
# Runs once, when the database is created: a role that owns its database and is no superuser.
set -eu
psql --set ON_ERROR_STOP=1 --username postgres <<'SQL'
\set password `cat /run/operator/database-password`
create role upquorum login password :'password';
create database upquorum owner upquorum;
SQL
