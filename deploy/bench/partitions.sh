#!/usr/bin/env bash
# What partitions do for an outbox and for the ledger: billing's tables, whole and in parts, filled, read, written and cleaned up in
# turn (make bench-partitions). Arguments: the number of rows, and for how many seconds each rate is measured. Needs psql and pgbench.
set -euo pipefail
cd "$(dirname "$0")/../.."
rows=${1:-2000000} seconds=${2:-8} clients=4 schema=services/billing/internal/store/schema.sql
url=$FLEDGE_TEST_DATABASE_URL

sql() { # kind [argument of psql…]; the statements are on stdin
  { echo "SET search_path = $1; SET client_min_messages = warning;"; cat; } | psql "$url" -XqAt -v ON_ERROR_STOP=1 "${@:2}"
}
took() { # command…: seconds, and MB of write-ahead log
  local began lsn
  lsn=$(psql "$url" -XqAtc 'SELECT pg_current_wal_insert_lsn()') began=$(date +%s%N)
  "$@" >/dev/null
  began=$((($(date +%s%N) - began) / 10000000))
  psql "$url" -XqAtc "SELECT round($began / 100.0, 1) || ' s, ' || round(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '$lsn') / 1e6) || ' MB'"
}
rate() { # kind clients seconds statement: transactions a second
  echo "$4" | PGOPTIONS="-c search_path=$1" pgbench -n -M prepared -f /dev/stdin -c "$2" -j 2 -T "$3" "$url" | awk '/^tps/ {printf "%d\n", $3}'
}
table() { # name ending: the table of the schema, with this in the place of its end, and its indexes
  awk -v table="$1" -v ending="$2" '
    $0 == "CREATE TABLE " table " (" {within = 1}
    within && /^\)/ {print ending; within = 0}
    within
    index($0, " INDEX " table "_") && sub(/ public[.]/, " ")' "$schema"
}
size() { # kind table: MB with indexes
  sql "$1" <<<"SELECT round(sum(pg_total_relation_size(relid)) / 1e6) || ' MB' FROM (SELECT '$2'::regclass AS relid UNION SELECT relid FROM pg_partition_tree('$2')) AS parts"
}
row() { printf '| %s | %s | %s |\n' "$@"; }

psql "$url" -Xqc 'CREATE SCHEMA whole' -c 'CREATE SCHEMA parts'
tenth=$((rows / 10)) accounts=10000

table outbox ');' | sql whole
{ table outbox ') PARTITION BY RANGE (seq);'
  for n in {0..11}; do echo "CREATE TABLE outbox_$n PARTITION OF outbox FOR VALUES FROM ($((n * tenth + 1))) TO ($(((n + 1) * tenth + 1)));"; done
  echo "CREATE TABLE outbox_rest PARTITION OF outbox FOR VALUES FROM ($((12 * tenth + 1))) TO (MAXVALUE);"; } | sql parts
fill_outbox() {
  sql "$1" <<<"INSERT INTO outbox (id, type, source, subject, payload, stream_seq, published_at)
    SELECT uuidv7(), 'fledge.billing.v1.trial', 'billing', n::text, convert_to(repeat('x', 150), 'UTF8'), n, now() - interval '8 days' FROM generate_series(1, $rows) n"
  psql "$url" -Xqc "VACUUM ANALYZE $1.outbox"
}
# As the task of services/platform/bus does it, 1000 rows at a time.
delete_old() {
  sql whole <<<"DO \$\$ DECLARE place bigint := 0; BEGIN LOOP
    WITH old AS MATERIALIZED (SELECT seq, stream_seq FROM outbox WHERE stream_seq > place AND stream_seq <= $((9 * tenth)) ORDER BY stream_seq LIMIT 1000),
      gone AS (DELETE FROM outbox WHERE seq = ANY (ARRAY(SELECT seq FROM old))) SELECT max(stream_seq) FROM old INTO place;
    COMMIT; EXIT WHEN place IS NULL; END LOOP; END \$\$"
}
drop_old() { for n in {0..8}; do echo "DROP TABLE outbox_$n;"; done | sql parts; }
vacuum() { psql "$url" -Xqc "VACUUM $1"; }
append="INSERT INTO outbox (id, type, source, subject, payload) VALUES (gen_random_uuid(), 'fledge.billing.v1.trial', 'billing', 'x', '\\x00')"
pending='SELECT seq FROM outbox WHERE stream_seq IS NULL AND NOT erased ORDER BY seq LIMIT 100'
behind="\\set n random(1, $rows)
SELECT seq FROM outbox WHERE stream_seq > :n ORDER BY stream_seq LIMIT 100"
declare -A cleaning=([whole]=delete_old [parts]=drop_old)

echo "| outbox, $rows rows | one table | ten partitions by \`seq\` |"
echo "|---|---:|---:|"
row "filled (time, write-ahead log)" "$(took fill_outbox whole)" "$(took fill_outbox parts)"
row "rows added a second, one by one, $clients clients" "$(rate whole $clients "$seconds" "$append")" "$(rate parts $clients "$seconds" "$append")"
psql "$url" -Xqc 'ANALYZE whole.outbox' -c 'ANALYZE parts.outbox'
row "reads of 100 that wait, a second" "$(rate whole 1 "$seconds" "$pending")" "$(rate parts 1 "$seconds" "$pending")"
row "reads of 100 by place in the stream, a second" "$(rate whole 1 "$seconds" "$behind")" "$(rate parts 1 "$seconds" "$behind")"
cleaned=() meanwhile=() written=$(mktemp)
for kind in whole parts; do
  rate $kind $clients $((seconds * 2)) "$append" >"$written" &
  cleaned+=("$(took ${cleaning[$kind]})")
  wait
  meanwhile+=("$(<"$written")")
done
rm "$written"
row "nine tenths cleaned up: DELETE, DROP" "${cleaned[@]}"
row "rows added a second from the beginning of that, for $((seconds * 2)) s" "${meanwhile[@]}"
row "VACUUM after it" "$(took vacuum whole.outbox)" "$(took vacuum parts.outbox)"
row "size after it" "$(size whole outbox)" "$(size parts outbox)"

for kind in whole parts; do table credit_accounts ');' | sql $kind; done
table credit_entries ');' | sql whole
{ table credit_entries ') PARTITION BY HASH (user_id);'
  for n in {0..15}; do echo "CREATE TABLE credit_entries_$n PARTITION OF credit_entries FOR VALUES WITH (MODULUS 16, REMAINDER $n);"; done; } | sql parts
account="lpad(to_hex(%s), 32, '0')::uuid"
fill_ledger() {
  sql "$1" <<<"INSERT INTO credit_accounts (user_id, updated_at) SELECT $(printf "$account" n), now() FROM generate_series(0, $((accounts - 1))) n;
    INSERT INTO credit_entries SELECT $(printf "$account" "n % $accounts"), n / $accounts + 1, now(), 'consume', -1, 1, 'a screen', '{1}', '{-1}' FROM generate_series(0, $((rows - 1))) n;
    CREATE SEQUENCE further START 1000000000; ANALYZE credit_entries"
}
spend="\\set n random(0, $((accounts - 1)))
INSERT INTO credit_entries VALUES ($(printf "$account" ":n::int"), nextval('further'), now(), 'consume', -1, 1, 'a screen', '{1}', '{-1}')"
newest="\\set n random(0, $((accounts - 1)))
SELECT * FROM credit_entries WHERE user_id = $(printf "$account" ":n::int") AND number < 1000000000 ORDER BY number DESC LIMIT 50"
freeze() { psql "$url" -Xqc "VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) $1"; }

echo
echo "| ledger, $rows entries of $accounts accounts | one table | sixteen partitions by account |"
echo "|---|---:|---:|"
row "filled (time, write-ahead log)" "$(took fill_ledger whole)" "$(took fill_ledger parts)"
row "entries added a second, one by one, $clients clients" "$(rate whole $clients "$seconds" "$spend")" "$(rate parts $clients "$seconds" "$spend")"
row "reads of the newest 50 of an account, a second" "$(rate whole 1 "$seconds" "$newest")" "$(rate parts 1 "$seconds" "$newest")"
row "VACUUM FREEZE of what one table or one partition has" "$(took freeze whole.credit_entries)" "$(took freeze parts.credit_entries_0)"
row "size" "$(size whole credit_entries)" "$(size parts credit_entries)"
