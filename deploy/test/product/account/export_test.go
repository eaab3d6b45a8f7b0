package account

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/services"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// told is where the rows of a table are in the export, and what is left out of them.
type told struct {
	// file of the export; "" for a table that is not told at all, because of why.
	file, why string
	// but are the columns, and parts of JSON, that are not told, with the reasons.
	but map[string]string
}

const (
	counter  = "a counter by which programs notice changes at the same time"
	secret   = "the hash of a secret"
	repeated = "what other columns say once more, for searching or comparing"
	theirs   = "of the staff"
	others   = "of whoever it was done to"
	internal = "how the job is run"
	inWords  = "told in other words"
	earlier  = "what an undo of the last approval brings back"
)

// decided says where each table is told that has rows about people. A column that is neither in
// the export nor named here fails the test: whoever adds one decides.
var decided = map[string]told{
	"identity users":               {file: "account", but: map[string]string{"roles_version": counter}},
	"identity user_roles":          {file: "roles"},
	"identity session_families":    {file: "devices", but: map[string]string{"leaf_hash": secret, "generation": counter}},
	"identity hand_off_codes":      {file: "mac-sign-ins", but: map[string]string{"hash": secret, "challenge": secret}},
	"identity second_factor_codes": {why: "hashes of what was typed within the last 15 minutes, for counting"},
	"identity audit_log on": {file: "staff-actions-on-you", but: map[string]string{
		"haystack": repeated, "actor_id": theirs, "actor_email": theirs, "client_ip": theirs, "user_agent": theirs, "request_id": theirs,
	}},
	"identity audit_log by": {file: "your-staff-actions", but: map[string]string{
		"haystack": repeated, "subject": others, "subject_label": others, "before": others, "after": others, "reason": others,
	}},
	"identity audit_log invited": {why: "only the waitlist knows whose address that is; it tells the entry"},
	"identity admin_addresses":   {why: "remembers that the address was made an admin once; the roles tell it"},
	"waitlist unconfirmed":       {file: "waitlist-unconfirmed", but: map[string]string{"token": secret}},
	"waitlist waitlist_users":    {file: "waitlist", but: map[string]string{"version": counter, "spelled": repeated, "claimed_spelled": repeated, "former_invited_at": earlier, "former_expired_at": earlier, "invitation_hash": secret, "reminder_hash": secret, "leave_token": secret}},
	"support tickets": {file: "tickets", but: map[string]string{
		"number": inWords, "version": counter, "search": repeated, "fingerprint": repeated, "idempotency_key": counter,
		"last_message_at": repeated, "last_message_by": repeated, "waiting_since": repeated, "answered_at": repeated, "raised_from": repeated,
		"assignee_id": theirs, "assignee_email": theirs, "tags": theirs,
	}},
	"support customer_plans": {why: "whether the plan has priority support, as the subscriptions tell"},
	"billing told_plans":     {why: "which plan support was told of, as the subscriptions tell"},
	"support staff_news":     {why: "which tickets staff are still to be told of, as the tickets tell"},
	"support webhook_calls":  {why: "which tickets a program of the team's is still to be told of, as the tickets tell"},
	"support desk_staff":     {why: "how a member of staff is told of other people's tickets"},
	"support ticket_viewers": {why: "which member of staff had a ticket open within the last hour"},
	"support ticket_search":  {why: "made of the tickets and their messages, which the files say"},
	"support ticket_messages": {file: "ticket-messages", but: map[string]string{
		"seq": "the order of the rows", "author": inWords, "fingerprint": repeated, "idempotency_key": counter,
	}},
	"support ticket_messages staff": {file: "ticket-messages", but: map[string]string{
		"seq": "the order of the rows", "author_id": theirs, "author_email": theirs,
	}},
	"support ticket_changes":       {file: "ticket-history", but: map[string]string{"version": counter}},
	"support ticket_changes staff": {file: "ticket-history", but: map[string]string{"version": counter, "actor_id": theirs, "actor_email": theirs}},
	"billing account_states":       {file: "billing-state"},
	"billing customers":            {file: "stripe-customers", but: map[string]string{"syncs": counter, "version": counter}},
	"billing former_customers":     {file: "stripe-customers"},
	"billing subscriptions":        {file: "subscriptions"},
	"billing credit_accounts":      {file: "credits"},
	"billing credit_entries":       {file: "credit-history"},
	"billing credit_grants":        {file: "credit-grants"},
	"billing credit_payments":      {file: "credit-payments"},
	"billing notices":              {file: "billing-notices"},
	"billing packs_on_their_way":   {file: "credit-packs-on-their-way"},
	"billing credit_holds":         {file: "credit-holds", but: map[string]string{"answer": repeated}},
	"billing credit_keys":          {file: "credit-requests", but: map[string]string{"answer": repeated}},
	"billing credit_withdrawals":   {file: "credit-corrections"},
	"billing credit_restorations":  {file: "credit-corrections"},
	"releases user_channels":       {file: "update-channel"},
}

// unused are the tables of what does not happen to the person of this test.
var unused = []string{"billing former_customers", "billing credit_withdrawals", "billing credit_restorations"}

func init() {
	for _, service := range services.All() {
		decided[service.Name+" outbox"] = told{why: "messages between programs, kept for days; they repeat what the files say"}
		if !slices.Contains(service.Calls, "mail") {
			continue
		}
		decided[service.Name+" mail.reports"] = told{file: "email-reports"}
		unused = append(unused, service.Name+" mail.reports")
		decided[service.Name+" mail.river_job"] = told{file: "emails", but: map[string]string{
			"args.message.HTML": "the same as the text", "args.message.Followed": internal, "args.message.Unsubscribe": secret, "id": counter, "kind": internal, "queue": internal, "priority": internal,
			"max_attempts": internal, "metadata": internal, "tags": internal, "errors": internal, "attempted_by": internal,
			"unique_key": internal, "unique_states": internal, "state": inWords,
			"scheduled_at": "the next try, which is told while there is one",
		}}
	}
}

// variant tells rows of a table apart of which different columns are told.
func variant(table string, row map[string]any, id string) string {
	switch {
	case table == "audit_log" && row["actor_id"] == id:
		return " by"
	case table == "audit_log" && row["subject_label"] == invited:
		return " invited"
	case table == "audit_log":
		return " on"
	case table == "ticket_messages" && row["author_id"] != id, table == "ticket_changes" && row["actor_id"] != id:
		return " staff"
	}
	return ""
}

// takesAlong has somebody download their data, and compares it with every column of every row
// about them. The addresses are those that they have and had.
func takesAlong(t *testing.T, who *person.Person, neighbour string, databases map[string]*pgxpool.Pool, emails ...string) {
	t.Helper()
	for name, pool := range databases {
		if name == "billing" {
			waittest.Eventually(t, "they are told of their credits", func() bool {
				var told bool
				err := pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM notices WHERE user_id = $1 AND ended_at IS NOT NULL)", who.ID()).Scan(&told)
				return err == nil && told
			})
		}
		if name == "identity" || name == "waitlist" || name == "support" || name == "billing" {
			waittest.Eventually(t, name+"'s emails are delivered", func() bool {
				var waiting bool
				err := pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM mail.river_job WHERE finalized_at IS NULL)").Scan(&waiting)
				return err == nil && !waiting
			})
		}
	}
	seen := map[string]bool{}
	waittest.Seen(t, "the export says everything", func() (bool, string) {
		files := download(t, who)
		whole := strings.Join(slices.Collect(maps.Values(files)), "\n")
		for _, other := range []string{neighbour, stack.AdminEmail} {
			if strings.Contains(whole, other) {
				t.Errorf("%s is in the export", other)
			}
		}
		missing := map[string]bool{}
		for file, told := range toldByKratos {
			for _, value := range ofKratos(t, databases["kratos"], told, who.ID()) {
				if !strings.Contains(files[file+".json"], strconv.Quote(value)) {
					missing["kratos: "+file+": "+value] = true
				}
			}
		}
		for name, pool := range databases {
			if name != "kratos" {
				compare(t, name, rowsAbout(t, pool, who.ID(), emails), files, who.ID(), seen, missing)
			}
		}
		return len(missing) == 0, strings.Join(slices.Sorted(maps.Keys(missing)), "; ")
	})
	for table := range decided {
		if !seen[table] && decided[table].file != "" && !slices.Contains(unused, table) {
			t.Errorf("there was nothing about %s in %s", emails, table)
		}
	}
}

// toldByKratos are all that the export tells of Kratos, by file.
var toldByKratos = map[string]string{
	"sign-in-accounts": `SELECT split_part(i.identifier, ':', 2) FROM identity_credential_identifiers i
		JOIN identity_credentials c ON c.id = i.identity_credential_id JOIN identity_credential_types t ON t.id = c.identity_credential_type_id
		WHERE t.name = 'oidc' AND c.identity_id = $1`,
	"sign-ins": `SELECT v FROM sessions s JOIN session_devices d ON d.session_id = s.id, unnest(ARRAY[s.id::text, d.ip_address, d.user_agent]) AS v
		WHERE s.identity_id = $1 AND v <> ''`,
}

// ofKratos is what Kratos has of somebody.
func ofKratos(t *testing.T, kratos *pgxpool.Pool, query, id string) []string {
	t.Helper()
	rows, err := kratos.Query(t.Context(), query, id)
	errtest.None(t, err)
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(values) == 0 {
		t.Fatalf("Kratos knows %q, %v", values, err)
	}
	return values
}

// compare adds to missing what of the rows is neither in the files nor decided to be left out.
func compare(t *testing.T, service string, tables map[string][]map[string]any, files map[string]string, id string, seen, missing map[string]bool) {
	t.Helper()
	for table, rows := range tables {
		for _, row := range rows {
			key := service + " " + table + variant(table, row, id)
			where, ok := decided[key]
			seen[key] = true
			if !ok {
				missing[key+": nobody has decided about it"] = true
			}
			if !ok || where.file == "" {
				continue
			}
			var lines []map[string]any
			if err := json.Unmarshal([]byte(files[where.file+".json"]), &lines); err != nil {
				t.Fatalf("%s.json: %v", where.file, err)
			}
			for _, column := range untold(row, lines, where.but) {
				missing[key+": "+column] = true
			}
		}
	}
}

// untold are the columns that the line that says most of the row does not say.
func untold(row map[string]any, lines []map[string]any, but map[string]string) (columns []string) {
	values := map[string][]string{}
	for column, value := range row {
		flatten(column, value, but, values)
	}
	columns = slices.Sorted(maps.Keys(values))
	for _, line := range lines {
		said := map[string][]string{}
		flatten("", line, nil, said)
		all := slices.Concat(slices.Collect(maps.Values(said))...)
		left := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(column string) bool {
			return !slices.ContainsFunc(values[column], func(value string) bool { return !says(all, value) })
		})
		if len(left) < len(columns) {
			columns = left
		}
	}
	return columns
}

// says reports whether a value is among those; hundredths of credits and cents are told as decimals.
func says(all []string, value string) bool {
	if slices.Contains(all, value) {
		return true
	}
	var hundredths int64
	if n, err := fmt.Sscanf(value, "number %d", &hundredths); err != nil || n != 1 {
		return false
	}
	return slices.Contains(all, number(float64(hundredths)/100))
}

// download returns the files of somebody's export by their names.
func download(t *testing.T, who *person.Person) map[string]string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, who.Site()+"/api/auth/export", nil)
	errtest.None(t, err)
	resp, err := who.Do(req)
	errtest.None(t, err)
	body, err := io.ReadAll(resp.Body)
	errtest.None(t, resp.Body.Close())
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the export: %s, %.200s, %v", resp.Status, body, err)
	}
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	errtest.None(t, err)
	files := map[string]string{}
	for _, f := range archive.File {
		in, err := f.Open()
		errtest.None(t, err)
		content, err := io.ReadAll(in)
		if err != nil || path.Base(f.Name) != f.Name {
			t.Fatalf("%s: %v", f.Name, err)
		}
		files[f.Name] = string(content)
	}
	return files
}
