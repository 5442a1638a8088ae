#!/bin/sh
# Runs once, when the database is created: a role that owns its database and is no superuser.
set -eu
if [ ! -r /run/operator/database-password ]; then
	echo "Set DATABASE_USER_ID=$(id -u) in .env, remove the volume of this new, empty database and start again" >&2
	exit 1
fi
psql --set ON_ERROR_STOP=1 --username postgres <<'SQL'
\set password `cat /run/operator/database-password`
create role upquorum login password :'password';
create database upquorum owner upquorum;
SQL
