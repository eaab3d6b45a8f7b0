#!/usr/bin/env bash
# Puts the database of one service back to a moment while the other services go on, see "One database alone" in
# deploy/docs/operations.md:
#
#   restore-one.sh SERVICE MOMENT FROM TO
#
#   SERVICE  a service that owns a database, but identity; its replicas are stopped
#   MOMENT   what FROM was recovered to, such as 2026-11-21T20:15:00Z
#   FROM     URL of that service's database on the recovered server
#   TO       URL of another database on the server in use, such as postgres, as a superuser
#
# The database in use is kept under another name, and nothing is changed unless all of the copy is there. At the end
# it says what is left to do.
set -euo pipefail

fail() { echo "error: $*" >&2 && exit 1; }
[ $# = 4 ] || fail "give SERVICE MOMENT FROM TO, see the first lines of $0."
service=$1 moment=$2 from=$3 to=$4
case $service in
  identity | kratos) fail "identity and kratos know the same people: restore the whole server to one moment." ;;
esac
owners=$(awk '/^  [a-z]+:$/ { name = $1 } /^    database: true$/ { print name }' "${0%/*}/../../helm/fledge/values.yaml")
grep -qx "$service:" <<<"$owners" || fail "$service has no database; these have:" ${owners//:/}
db=fledge_$service
copy=${db}_restored before=${db}_before_$(date -u +%Y%m%d%H%M%S)

for program in psql pg_dump pg_restore; do
  command -v $program >/dev/null || fail "$program is missing: it is in PostgreSQL's client package."
done
on() { # URL SQL
  psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 --dbname "$1" --command "$2"
}
for url in "$from" "$to"; do
  [[ $url =~ ^postgres(ql)?:// ]] || fail "give FROM and TO as URLs, postgres://…"
done
# One a line: of two in one assignment, bash takes no notice when the first fails.
old=$(on "$from" "SHOW server_version_num")
new=$(on "$to" "SHOW server_version_num")
for program in pg_dump pg_restore; do
  has=$($program --version | sed -E 's/[^0-9]*([0-9]+).*/\1/')
  [ "$has" -ge $((old / 10000)) ] || fail "this $program is PostgreSQL $has and the recovered server $((old / 10000)): use a client of $((old / 10000)) or newer."
done
[ $((new / 10000)) -ge $((old / 10000)) ] || fail "the server in use is PostgreSQL $((new / 10000)) and the recovered one $((old / 10000)): a copy goes to the same version or a newer one."
[ "$(on "$from" "SELECT current_database()")" = "$db" ] || fail "FROM is not a database $db."
[ "$(on "$to" "SELECT current_database()")" != "$db" ] || fail "TO is $db itself: give another database of that server, such as postgres."
started() { on "$1" "SELECT pg_postmaster_start_time()"; }
[ "$(started "$from")" != "$(started "$to")" ] || fail "FROM and TO are one server: FROM is the recovered one."
[[ $moment =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$ ]] || fail "write the moment like 2026-11-21T20:15:00Z."
[ "$(on "$to" "SELECT '$moment'::timestamptz BETWEEN now() - interval '7 days' AND now()")" = t ] ||
  fail "$moment is not within the last 7 days: no outbox keeps what $service missed before."
[ "$(on "$to" "SELECT count(*) FROM pg_roles WHERE rolname = '$db'")" = 1 ] || fail "the server in use has no role $db."
[ "$(on "$to" "SELECT count(*) FROM pg_database WHERE datname = '$copy'")" = 0 ] ||
  fail "the server in use has a database $copy of an earlier try: drop it."
connected=$(on "$to" "SELECT count(*) FROM pg_stat_activity WHERE datname = '$db'")
[ "$connected" = 0 ] || fail "somebody is connected to $db ($connected): stop the service's replicas."

locale=$(on "$from" "SELECT format('ENCODING %L LOCALE_PROVIDER %s LC_COLLATE %L LC_CTYPE %L', pg_encoding_to_char(encoding),
    CASE datlocprovider WHEN 'b' THEN 'builtin' WHEN 'i' THEN 'icu' ELSE 'libc' END, datcollate, datctype)
  || CASE datlocprovider WHEN 'b' THEN format(' BUILTIN_LOCALE %L', datlocale) WHEN 'i' THEN format(' ICU_LOCALE %L', datlocale) ELSE '' END
  FROM pg_database WHERE datname = current_database()")
SECONDS=0
on "$to" "CREATE DATABASE $copy OWNER $db TEMPLATE template0 $locale"
# By force: a restore that was interrupted may still be connected.
trap 'on "$to" "DROP DATABASE IF EXISTS $copy WITH (FORCE)" || true; echo "error: stopped; nothing is changed." >&2' EXIT
on "$to" "REVOKE ALL ON DATABASE $copy FROM PUBLIC"
into=$(sed -E "s#^([^?]*//[^/?]*)(/[^?]*)?#\1/$copy#" <<<"$to")
[ "$(on "$into" "SELECT current_database()")" = "$copy" ] || fail "TO names its database elsewhere than in the path; write it like postgres://…/postgres."
pg_dump --format custom --no-comments --dbname "$from" |
  pg_restore --single-transaction --exit-on-error --no-owner --no-privileges --role "$db" --dbname "$into"
on "$into" "ANALYZE"
# Emails with the signed addresses of tickets that are lost are still about: were a number given again, an answer to one of
# them would become a message in somebody else's ticket.
[ "$service" != support ] || on "$into" "SELECT setval('ticket_number', last_value + 10000) FROM ticket_number" >/dev/null
echo "copied $(on "$into" "SELECT pg_size_pretty(pg_database_size('$copy'))") in $SECONDS s"

swap="ALTER DATABASE $copy RENAME TO $db" kept=
if [ "$(on "$to" "SELECT count(*) FROM pg_database WHERE datname = '$db'")" = 1 ]; then
  swap="ALTER DATABASE $db RENAME TO $before; $swap"
  kept=" What was in use is $before: drop it when nobody misses anything."
fi
on "$to" "$swap"
trap - EXIT

cat <<END
$db is as it was at $moment.$kept
Now, in this order (deploy/docs/operations.md, "One database alone"):
1. Delete the data of NATS: the outboxes fill it again, so that $service hears what it has forgotten.
2. Start $service. bus_outbox_pending of all services goes to 0.
3. identity repeat-erasures $moment
4. $service dead-letters list shows none.
5. What the table there says of $service.
END
