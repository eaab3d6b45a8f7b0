package attack

import (
	"bufio"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// kept is all that a request could change, by service: what is read of each table.
var kept = map[string]map[string]string{
	"identity": {
		"users": "count(*)", "user_roles": "*", "session_families": "*", "hand_off_codes": "*", "keys": "count(*)", "outbox": "count(*)",
		"admin_addresses": "*",
		"erasures":        "*", "erasure_answers": "*", "second_factor_codes": "*", "mail.reports": "*",
	},
	"waitlist": {"waitlist_users": "*", "unconfirmed": "*", "waves": "*", "mail.reports": "*", "outbox": "count(*)"},
	"releases": {
		"releases": "version, is_available, rollout_percentage, ramp_started_at, is_required", "offered_builds": "version, name",
		"preview_links": "*", "user_channels": "*",
		"downloads": "*", "download_days": "*", "download_versions": "*",
		"outbox": "count(*)",
	},
	"billing": {
		"credit_accounts": "*", "credit_entries": "*", "credit_grants": "*", "credit_holds": "*", "credit_keys": "*", "credit_withdrawals": "*",
		"credit_restorations": "*", "credit_payments": "*", "notices": "*", "notices_seen": "count(*)", "customers": "count(*)", "former_customers": "*", "subscriptions": "count(*)", "stripe_events": "count(*)",
		"plans": "*", "plan_prices": "*", "stripe_account": "count(*)", "accepted_cases": "*", "odd_cases": "*", "told_plans": "*", "pack_prices": "count(*)", "packs_on_their_way": "*", "outbox": "count(*)", "account_states": "*",
	},
	"support": {"tickets": "*", "ticket_search": "*", "ticket_messages": "*", "ticket_changes": "*", "ticket_notes": "*", "canned_answers": "*", "customer_plans": "*", "desk_staff": "*", "staff_news": "*", "webhook_calls": "*", "ticket_viewers": "*", "mail.reports": "*", "outbox": "count(*)"},
	"kratos": {
		"selfservice_login_flows": "count(*)", "selfservice_registration_flows": "count(*)", "sessions": "count(*)", "identities": "count(*)",
		"identity_credentials": "count(*)", "continuity_containers": "count(*)",
	},
}

// passedOver tables follow from those or from the clock.
var passedOver = []string{
	"outbox_stream", "inbox", "dead_letter", "job_runs", "schema_functions", // the machinery of events, jobs and migrations
	"audit_log",                                     // the effect of events
	"github_sync", "github_pages", "release_assets", // what GitHub says
	"update_checks", // counts of requests that anybody may send
}

// untouched is a picture of everything that is kept.
func (p *product) untouched() map[string]string {
	p.Helper()
	all := map[string]string{}
	for service, tables := range kept {
		for table, columns := range tables {
			all[service+"."+table] = p.ask(service, "SELECT md5(coalesce(string_agg(r::text, E'\\n' ORDER BY r::text), '')) FROM (SELECT "+columns+" FROM "+table+") r")
		}
	}
	return all
}

// everyTableIsKnown: a new one must be looked at, or be left out on purpose.
func (p *product) everyTableIsKnown() {
	for _, service := range slices.Sorted(maps.Keys(kept)) {
		if service == "kratos" {
			continue // not ours
		}
		rows, err := p.databases[service].Query(p.Context(), "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'river\\_%' AND tablename NOT LIKE 'schema\\_version\\_%'")
		errtest.None(p, err)
		for rows.Next() {
			var table string
			errtest.None(p, rows.Scan(&table))
			if _, ok := kept[service][table]; !ok && !slices.Contains(passedOver, table) {
				p.Errorf("nobody looks at %s of %s", table, service)
			}
		}
		errtest.None(p, rows.Err())
	}
}

// without fails when the attacks leave anything behind.
func (p *product) without(effect string, attacks func()) {
	p.Helper()
	before := p.untouched()
	attacks()
	for table, now := range p.untouched() {
		if now != before[table] {
			p.Errorf("%s: %s has changed", effect, table)
		}
	}
}

// standsUnharmed: no panic, no statement that PostgreSQL could not read, and every
// part is well.
func (p *product) standsUnharmed() {
	p.Helper()
	for service, url := range p.stack.MetricsURLs() {
		resp, err := (&http.Client{Timeout: waittest.Timeout}).Get(url)
		errtest.None(p, err)
		counted := false
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if name, value, ok := strings.Cut(lines.Text(), " "); ok && strings.HasSuffix(name, "_panics_total") {
				counted = true
				if value != "0" {
					p.Errorf("%s of %s is %s", name, service, value)
				}
			}
		}
		errtest.None(p, resp.Body.Close())
		if !counted {
			p.Errorf("%s counts no panics", service)
		}
	}
	for line := range strings.Lines(p.log("postgres")[p.begun:]) {
		if misunderstood.MatchString(line) {
			p.Errorf("PostgreSQL: %s", line)
		}
	}
	waittest.Eventually(p.T, "every part is well", func() bool {
		var health struct{ Status string }
		err := p.people["ann"].Call(p.Context(), http.MethodGet, "/api/health", nil, &health)
		return err == nil && health.Status == "ok"
	})
}

// misunderstood is what PostgreSQL says of a statement that what somebody typed has
// become a part of, or of a value that it cannot hold.
var misunderstood = regexp.MustCompile(` ERROR: .*(syntax|invalid|out of range|unterminated|does not exist|too long|escape|malformed|cannot)`)
