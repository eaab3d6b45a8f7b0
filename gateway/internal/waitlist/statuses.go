package waitlist

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"fledge.dev/gateway/internal/csvfile"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/enum"
)

// statuses are the words of other tools for ours.
var statuses = map[string]waitlistv1.Status{
	"waiting": waitlistv1.Status_STATUS_PENDING, "waitlisted": waitlistv1.Status_STATUS_PENDING, "queued": waitlistv1.Status_STATUS_PENDING,
	"subscribed": waitlistv1.Status_STATUS_PENDING, "active": waitlistv1.Status_STATUS_PENDING, "confirmed": waitlistv1.Status_STATUS_PENDING,
	"enabled": waitlistv1.Status_STATUS_PENDING, "regular": waitlistv1.Status_STATUS_PENDING, "verified": waitlistv1.Status_STATUS_PENDING, "applied": waitlistv1.Status_STATUS_PENDING,
	"premium": waitlistv1.Status_STATUS_PENDING, "gifted": waitlistv1.Status_STATUS_PENDING, "trialed": waitlistv1.Status_STATUS_PENDING, "unpaid": waitlistv1.Status_STATUS_PENDING, "churning": waitlistv1.Status_STATUS_PENDING, "churned": waitlistv1.Status_STATUS_PENDING, "past_due": waitlistv1.Status_STATUS_PENDING,
	"aktiv": waitlistv1.Status_STATUS_PENDING, "aktiviert": waitlistv1.Status_STATUS_PENDING, "angemeldet": waitlistv1.Status_STATUS_PENDING, "abonniert": waitlistv1.Status_STATUS_PENDING,
	"actif": waitlistv1.Status_STATUS_PENDING, "abonné": waitlistv1.Status_STATUS_PENDING, "inscrit": waitlistv1.Status_STATUS_PENDING, "activo": waitlistv1.Status_STATUS_PENDING, "suscrito": waitlistv1.Status_STATUS_PENDING, "inscrito": waitlistv1.Status_STATUS_PENDING, "ativo": waitlistv1.Status_STATUS_PENDING,
	"attivo": waitlistv1.Status_STATUS_PENDING, "iscritto": waitlistv1.Status_STATUS_PENDING, "actief": waitlistv1.Status_STATUS_PENDING, "ingeschreven": waitlistv1.Status_STATUS_PENDING, "aangemeld": waitlistv1.Status_STATUS_PENDING,
	"accepted": waitlistv1.Status_STATUS_APPROVED, "invited": waitlistv1.Status_STATUS_APPROVED, "admitted": waitlistv1.Status_STATUS_APPROVED, "completed": waitlistv1.Status_STATUS_APPROVED, "offboarded": waitlistv1.Status_STATUS_APPROVED,
	"declined": waitlistv1.Status_STATUS_REJECTED, "denied": waitlistv1.Status_STATUS_REJECTED,
}

// gone are the words for people whom a tool does not write to. They tell a column of the status as ours do: without it,
// they would be imported like all others. The service refuses their lines.
var gone = []string{
	"unsubscribed", "opted out", "opted_out", "inactive", "cleaned", "bounced", "complained", "archived", "deleted", "suppressed", "cancelled", "canceled",
	"unconfirmed", "unactivated", "non-subscribed", "never_subscribed", "never subscribed", "not_subscribed", "not subscribed", "blocklisted", "blacklisted", "disabled", "removed", "blocked", "undeliverable", "junk", "spam", "spammy", "invalid", "no consent", "no_consent",
	"abgemeldet", "abbestellt", "ausgetragen", "inaktiv", "deaktiviert", "désabonné", "désinscrit", "inactif", "inactivo", "desuscrito", "dado de baja",
	"disiscritto", "inattivo", "inativo", "descadastrado", "inactief", "afgemeld", "uitgeschreven",
}

// unsubscribed is the status of all whom a tool does not write to.
const unsubscribed = "unsubscribed"

// statusOf is the cell in our words, where we have one for it.
func statusOf(cell string) string {
	word := strings.ToLower(strings.TrimSpace(cell))
	if status, ok := statuses[word]; ok {
		return enum.Name(status)
	}
	return word
}

func isStatus(cell string) bool {
	return enum.Of[waitlistv1.Status](statusOf(cell)) != waitlistv1.Status_STATUS_UNSPECIFIED || isGone(cell)
}

func isGone(cell string) bool { return slices.Contains(gone, strings.ToLower(strings.TrimSpace(cell))) }

func isSource(cell string) bool {
	return enum.Of[waitlistv1.Source](strings.ToLower(cell)) != waitlistv1.Source_SOURCE_UNSPECIFIED
}

// The titles by which other tools tell whom they do not write to, as wordsOf has them.
var (
	// statusTitle is of a word for it.
	statusTitle = regexp.MustCompile(`^((subscriber|subscription|e ?mail|e ?mail subscriber|member|contact|waitlist|invitation|invite|user|marketing) )?(status|state)$|^(statut|estado|stato)$|^subscriber type$|^e ?mail marketing consent$`)
	// leftTitle is of yes, or of when, and staysTitle of no.
	leftTitle  = regexp.MustCompile(`^(e ?mails? )?(is |has |confirmed )?(do not (contact|e ?mail)|disabled|unsub(scribed?)?|opt(ed)? ?out|bounced|complained|(clean(ed)?|deleted) (at|on|date|time)|bl(ack|ock)listed)( of e ?mails?( .*)?| from all e ?mails?)?( (at|on|date|time))?$`)
	staysTitle = regexp.MustCompile(`^(is )?subscribed( to (the )?(e ?mails?|newsletter|marketing))?$|^e ?mails? (is )?(subscribed|enabled)$` +
		`|^accepts (e ?mail )?marketing$|^newsletter$|^((e ?mail|newsletter|marketing) )?(opt(ed)? ?in|consent)$`)
	camelCase = regexp.MustCompile(`([a-z])([A-Z])`)
	// number is how many emails have come back, rather than that, or when.
	number = regexp.MustCompile(`^\d{1,6}$`)
	// noTime is a date that programs write for none: the first that their kind of dates can hold.
	noTime = regexp.MustCompile(`^(\d\d?[./]\d\d?[./])?(0000|0001|1899|1900|1970)\b`)
)

// no and unset are what tools write for that. Spreadsheets write FALSE in the language of their owner.
var (
	no = []string{
		"false", "no", "n", "f", "0", "nein", "non", "nee", "nej", "nei", "não", "nie", "нет", "hayır", "hayir",
		"falsch", "faux", "falso", "fals", "onwaar", "fałsz", "falskt", "falsk", "usann", "epätosi", "nepravda", "hamis", "ложь", "хибність", "yanlış", "yanliş",
	}
	unset = []string{
		"", "null", "(null)", "<null>", "[null]", `\n`, "nil", "none", "never", "undefined", "nan", "nat", "n/a", "#n/a", "-", "–", "—",
	}
)

// wordsOf are those of a title, in lower case.
func wordsOf(title string) string {
	spaced := strings.ToLower(camelCase.ReplaceAllString(title, "$1 $2"))
	return strings.Join(strings.FieldsFunc(spaced, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ")
}

// leftColumn is a column that tells whom a tool does not write to.
type leftColumn struct {
	index int
	left  func(cell string) bool
}

// leftIn are those columns by their titles, but for that of the status.
func leftIn(shape csvfile.Shape, status int) (columns []leftColumn) {
	for i, title := range shape.Titles {
		words := wordsOf(title)
		switch {
		case i == status || i == shape.Email:
		case statusTitle.MatchString(words):
			columns = append(columns, leftColumn{i, isGone})
		case leftTitle.MatchString(words):
			columns = append(columns, leftColumn{i, hasLeft})
		case staysTitle.MatchString(words):
			columns = append(columns, leftColumn{i, func(cell string) bool { return slices.Contains(no, strings.ToLower(cell)) || isGone(cell) }})
		}
	}
	return columns
}

func hasLeft(cell string) bool {
	cell = strings.ToLower(cell)
	return !slices.Contains(no, cell) && !slices.Contains(unset, cell) && !noTime.MatchString(cell) && (cell == "1" || !number.MatchString(cell))
}
